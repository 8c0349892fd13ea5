"""Documents as they are read: whole, a section, lines, an outline, older versions and what changed between them. Called by the service."""

from __future__ import annotations

from memory_wire import config
from memory_wire import documents as d
from memory_wire import types as t
from memory_wire.errors import Invalid, SectionAmbiguous, UnknownSection, UnknownVersion, VersionMismatch
from memory_wire.hub import diff, edit
from memory_wire.hub.sections import SEPARATOR, parse
from memory_wire.service import dates, documents, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.chunking import Text
from memory_wire.service.documents import flag, named, ordinal
from memory_wire.service.gates import cursor, gates, page_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.hub.sections import Parsed
    from memory_wire.service.service import Service
    from memory_wire.store.documents import Document
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader

    Work = Callable[[Tx], Outcome]

NUMBER_DIGITS = 9


def read_doc(reader: Reader, request: d.ReadDoc, scope: t.Scope) -> d.Doc:
    """A document, or a part of it. Raises Invalid, WrongType, UnknownDocument, UnknownSection, UnknownVersion."""
    document = named(reader, request, scope)
    version = validate.unsigned("version", request.version) or document.version
    raw = reader.documents.markdown(document.id, version)
    if raw is None:
        raise UnknownVersion
    answer = head_of(document, version, len(raw))
    if flag("outline", request.outline):
        headings = outline(raw)
        answer.outline = headings[: config.OUTLINE_MAX]
        if len(headings) > config.OUTLINE_MAX:
            answer.truncated = True
        return answer
    lines = edit.lines_of(raw)
    first, last = span(request, raw, len(lines))
    text = raw if (first, last) == (1, len(lines)) else b"".join(lines[first - 1 : last])
    answer.first_line, answer.last_line = first, last
    shown(answer, text.decode(), request)
    return answer


def head_of(document: Document, version: int, size: int) -> d.Doc:
    return d.Doc(
        id=document.public_id,
        bank=document.bank_name,
        title=document.title,
        version=version,
        url=f"/{document.public_id}",
        raw_url=f"/raw/{document.public_id}",
        created_at=dates.stamp(document.created),
        updated_at=dates.stamp(document.updated),
        source=document.source,
        is_draft=bool(document.draft),
        public=bool(document.public),
        gates=gates(document, dates.now_ms()),
        bytes=size,
    )


def shown(answer: d.Doc, text: str, request: d.ReadDoc) -> None:
    """The characters that are asked for, and where the rest begins."""
    offset, limit = validate.unsigned("offset", request.offset) or 0, validate.unsigned("limit", request.limit)
    end = len(text) if limit is None else min(offset + limit, len(text))
    answer.markdown, answer.chars = text[offset:end], len(text)
    if end < len(text):
        answer.truncated, answer.next = True, end


def outline(raw: bytes) -> list[d.Heading]:
    """The document's sections; text before the first heading comes first, as level 0."""
    parsed = parse(raw.decode())
    found = []
    for section in parsed.sections:
        lines = parsed.lines[section.first - 1 : section.last]
        if not section.level and not any(line.strip() for line in lines):
            continue
        heading = d.Heading(
            level=section.level,
            title=section.title,
            path=SEPARATOR.join(section.trail),
            anchor=section.anchor,
            occurrence=section.occurrence,
            first_line=section.first,
            last_line=section.last,
            subtree_last_line=section.subtree,
            chars=sum(map(len, lines)) + len(lines),
        )
        found.append(heading)
    return found


def span(request: d.ReadDoc, raw: bytes, count: int) -> tuple[int, int]:
    """First and last line of what is asked for."""
    if request.lines is not None and request.section is not None:
        raise Invalid("lines", "a section or lines can be asked for, not both")
    if request.lines is not None:
        return lines_named(request.lines, count)
    if request.section is None:
        return 1, count
    heading = validate.text("section", request.section, config.DOCUMENT_TITLE_CHARS * 4)
    parsed: Parsed = parse(raw.decode())
    try:
        section = edit.find(parsed, heading, ordinal(request.occurrence))
    except edit.Absent:
        raise UnknownSection(heading) from None
    except edit.Ambiguous as error:
        raise SectionAmbiguous(heading, [section.first for section in error.sections]) from None
    return section.first, min(section.subtree if flag("subtree", request.subtree) else section.last, count)


def lines_named(given: object, count: int) -> tuple[int, int]:
    """`first-last`, `first-` or one number. Raises Invalid."""
    first, dash, last = validate.text("lines", given, 2 * NUMBER_DIGITS + 1).partition("-")
    numbers = [first, last or (str(count) if dash else first)]
    if not all(number.isascii() and number.isdigit() and len(number) <= NUMBER_DIGITS for number in numbers) or int(first) < 1:
        raise Invalid("lines", "must be first-last, counted from 1")
    return int(first), min(int(numbers[1]), count)


# versions --------------------------------------------------------------------------------------------------------------------------


def doc_versions(reader: Reader, request: d.ListVersions, scope: t.Scope) -> d.DocVersions:
    """The document's versions, the newest first. Raises UnknownDocument."""
    document = named(reader, request, scope, deleted=True)
    limit = page_limit(request.limit)
    rows = reader.documents.versions(document.id, limit + 1, cursor(request.cursor))
    versions = [
        d.DocVersion(version=row.version, at=dates.stamp(row.at), made=row.made, bytes=row.size, hash=row.hash.hex())
        for row in rows[:limit]
    ]
    return d.DocVersions(id=document.public_id, versions=versions, cursor=str(rows[limit - 1].version) if len(rows) > limit else None)


def diff_doc(reader: Reader, request: d.DiffDoc, scope: t.Scope) -> d.DocDiff:
    """What changed from one version to another. Raises UnknownDocument, UnknownVersion."""
    document = named(reader, request, scope)
    new = validate.unsigned("new", request.new) or document.version
    old = validate.unsigned("old", request.old)
    old = max(new - 1, 1) if old is None else old
    before, after = (reader.documents.markdown(document.id, version) for version in (old, new))
    if before is None or after is None:
        raise UnknownVersion
    found = diff.unified(before, after)
    return d.DocDiff(
        id=document.public_id,
        old=old,
        new=new,
        added=found.added,
        deleted=found.deleted,
        diff=found.text[: config.DIFF_CHARS],
        truncated=len(found.text) > config.DIFF_CHARS,
    )


def revert_doc(request: d.RevertDoc, scope: t.Scope, service: Service) -> Work:
    """The work that makes an older version's text the newest. Raises UnknownDocument, UnknownVersion, VersionMismatch."""
    keys, now = service.keys, service.now()
    version, wanted = validate.unsigned("version", request.version), validate.unsigned("if_version", request.if_version)

    def work(tx: Tx) -> Outcome:
        document = named(tx, request, scope)
        if wanted is not None and wanted != document.version:
            raise VersionMismatch(document.version)
        raw = tx.documents.markdown(document.id, version or 0)
        if raw is None:
            raise UnknownVersion
        text = Text(raw, keys, document.title if document.titled else None)
        if raw == tx.documents.markdown(document.id, document.version):
            count = len(text.chunks)
            return Outcome(documents.receipt(document, d.Chunks(total=count, reused=count), "unchanged"))
        bank = documents.bank_of(tx, document, scope)
        return documents.saved(tx, scope, service, bank, document, text, "revert", now)

    return work
