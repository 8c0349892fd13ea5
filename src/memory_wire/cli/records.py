"""Answers about records, for a person."""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.cli.show import line, one_line, tell

EXITS = {"validate_memory": "Exit status 0: all are fresh; 1: a record is stale, or none names the source; 2: the words don't fit."}


def show(answer: object) -> bool:
    """Prints an answer; False when it is none about records."""
    if isinstance(answer, t.Remembered):
        line(answer.id + (f"  {answer.status}" if answer.status != "unverified" else ""))
    elif isinstance(answer, t.SearchResults):
        for hit in answer.results:
            line(f"{hit.created_at[:10]}  {hit.id}  {','.join(hit.statuses)}  {one_line(hit.content)}")
            for reason in doubts(hit):
                line(f"{'':10}  {reason}")
    elif isinstance(answer, t.RecordDetail):
        line(
            f"{answer.content}\n\n{answer.created_at[:10]}  {','.join(answer.statuses)}  {answer.source or answer.source_id or ''}".rstrip()
        )
        for reason in doubts(answer):
            line(reason)
    elif isinstance(answer, t.Validated):
        validated(answer)
    elif isinstance(answer, t.Forgotten):
        line(f"forgotten: {answer.count}")
    else:
        return False
    return True


def doubts(record: t.Record) -> list[str]:
    """Why a record is in doubt, a line each."""
    found = []
    if record.conflict_with:
        found.append(
            f"conflict: {' and '.join(record.conflict_with)} {says(record.conflict_with)} otherwise of {one_line(record.fact_key or '')}"
        )
    why = record.stale_reason
    if why is not None and why.reason == "source_changed":
        found.append(f"stale: {one_line(str(why.source_id))} has changed, hash {why.stored} then and {why.compared} now")
    elif why is not None and why.reason == "source_forgotten":
        found.append("stale: a record that it was derived from is forgotten")
    if record.inherited_from:
        found.append(f"in doubt as what it was derived from: {', '.join(record.inherited_from)}")
    if record.superseded_by is not None:
        found.append(f"superseded by {record.superseded_by}")
    return found


def says(ids: list[str]) -> str:
    return "says" if len(ids) == 1 else "say"


def exit_status(answer: object) -> int:
    """The exit status that an answer asks for."""
    if not isinstance(answer, t.Validated):
        return 0
    if not answer.checked:
        tell(f"no record names {answer.source_id}; `memory-wire verify-sources` lists the sources that records name")
    return 1 if answer.stale or not answer.checked else 0


def validated(answer: t.Validated) -> None:
    line(f"{answer.checked} checked, {len(answer.fresh)} fresh, {len(answer.stale)} stale, {len(answer.unhashed)} without a hash")
    for record in answer.stale:
        line(f"stale     {record.id}  {record.stored_hash}")
    for group in answer.conflicts:
        line(f"conflict  {' '.join(group.ids)}  {one_line(group.fact_key)}")
    for id in answer.summaries_affected:
        line(f"affected  {id}")
