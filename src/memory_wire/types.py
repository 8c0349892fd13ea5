"""Requests and responses of the operation table. They carry wire types only; value limits are functions of the service.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType


class Caller(Struct, frozen=True):
    """Who asks with a key, as the key stood when it was looked at. Times are milliseconds.

    `key` is the key's shown id, `name` the member's; `project` is None when the key may go to every project of the account. `limits` are
    those of the account: records, and calls a minute. `units` are the units of the organisation whose records the member sees, `headed`
    those whose leavers' drafts as well; `heir_of` left the member their records. At `until` the key must be looked at anew.
    """

    key: str
    account: int
    account_name: str
    rights: str
    state: str = "active"
    project: str | None = None
    member: int | None = None
    name: str | None = None
    role: str | None = None
    unit: int | None = None
    units: tuple[int, ...] = ()
    headed: tuple[int, ...] = ()
    heir_of: tuple[int, ...] = ()
    records: int | None = None
    calls: int | None = None
    until: int | None = None


class Scope(Struct, frozen=True):
    """Where a call acts: a bank named within a project. Without a caller it is this machine's own, who may do everything.

    `keyless`: it came without a key to a server that wants one, and may only make a document or change one whose edit token it has;
    `exposed`: over an address that others can reach.
    """

    bank: str = "default"
    project: str = "default"
    caller: Caller | None = None
    keyless: bool = False
    exposed: bool = False

    def at(self, bank: str) -> Scope:
        """Another bank of the project."""
        return Scope(bank, self.project, self.caller, self.keyless, self.exposed)


# requests --------------------------------------------------------------------------------------------------------------------------


class Retain(Struct, kw_only=True):
    content: str
    context: str | None = None
    tags: list[str] | None = None
    document_id: str | None = None
    update_mode: str | None = None
    created_at: str | None = None
    session: str | None = None
    speaker: str | None = None
    role: str | None = None
    source: str | None = None
    source_id: str | None = None
    source_hash: str | None = None
    source_revision: str | None = None
    fact_key: str | None = None
    confidence: float | None = None
    derived_from: list[str] | None = None


class Remember(Struct, kw_only=True, forbid_unknown_fields=True):
    """A record. `workspace` is its bank; `idempotency_key` makes the call safe to repeat."""

    content: str
    workspace: str | None = None
    scope: str | None = None
    source: str | None = None
    source_id: str | None = None
    source_hash: str | None = None
    source_revision: str | None = None
    fact_key: str | None = None
    confidence: float | None = None
    derived_from: list[str] | None = None
    aliases: list[str] | None = None
    kind: str | None = None
    pinned: bool | None = None
    supersedes: str | None = None
    visibility: str | None = None
    idempotency_key: str | None = None


class Search(Struct, kw_only=True, forbid_unknown_fields=True):
    """`current_source_hash` is of `source_id`; `current_source_hashes` maps source ids to hashes. `named`: only records of which the query
    says an alias whole, spelling mistakes allowed.
    """

    query: str
    workspace: str | None = None
    scope: str | None = None
    kind: str | None = None
    limit: int | None = None
    source_id: str | None = None
    current_source_hash: str | None = None
    current_source_hashes: dict[str, str] | None = None
    exclude_stale: bool | None = None
    exclude_superseded: bool | None = None
    named: bool | None = None


class ValidateMemory(Struct, kw_only=True, forbid_unknown_fields=True):
    source_id: str
    current_source_hash: str
    workspace: str | None = None


class ForgetRecord(Struct, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of the two says what. With `purge`, an administrator's, nothing of the text is kept."""

    memory_id: str | None = None
    source_id: str | None = None
    purge: bool | None = None
    workspace: str | None = None
    idempotency_key: str | None = None


class GetRecord(Struct, kw_only=True):
    id: str
    workspace: str | None = None


class RetainBatch(Struct, kw_only=True):
    """`keep` leaves a document alone that says the same already, where `replace` would give it a new id."""

    items: list[Retain]
    keep: bool = False


class Recall(Struct, kw_only=True):
    query: str
    budget: int | None = None
    tags: list[str] | None = None
    exclude_tags: list[str] | None = None
    format: str | None = None
    k: int | None = None
    since: str | None = None
    until: str | None = None
    session: str | None = None
    min_score: float | None = None
    explain: bool | None = None
    exclude_stale: bool | None = None


class Memories(Struct, kw_only=True):
    limit: int | None = None
    offset: int | None = None
    truncate: int | None = None
    format: str | None = None


class Get(Struct, kw_only=True):
    id: str
    format: str | None = None


class Forget(Struct, kw_only=True):
    id: str


class Empty(Struct):
    """A request without fields."""


class PutConfig(Struct, kw_only=True):
    body: bytes


class DeleteBank(Struct, kw_only=True):
    confirm: str | None = None


class RenameBank(Struct, kw_only=True):
    to: str


class CopyBank(Struct, kw_only=True):
    to: str


class MergeBank(Struct, kw_only=True):
    into: str


class Sweep(Struct, kw_only=True):
    dry_run: bool = False


class Inject(Struct, kw_only=True):
    """`former` is an older name of the bank, taken when only that one exists; `frozen`: the host rebuilds its prompt every turn."""

    event: str
    host: str | None = None
    session: str | None = None
    former: str | None = None
    prompt: str | None = None
    previous: str | None = None
    source: str | None = None
    frozen: bool | None = None
    format: str | None = None
    url: str | None = None


class Turn(Struct, kw_only=True):
    """What was asked and answered, as prose; `at` when it was asked, `index` its number in the session as the host counts."""

    user: str | None = None
    assistant: str | None = None
    at: str | None = None
    index: int | None = None


class Capture(Struct, kw_only=True):
    event: str
    host: str | None = None
    session: str | None = None
    former: str | None = None
    reason: str | None = None
    turns: list[Turn] = []
    note: str | None = None


class Injections(Struct, kw_only=True):
    session: str | None = None
    limit: int | None = None
    offset: int | None = None


class History(Struct, kw_only=True):
    id: str


# responses -------------------------------------------------------------------------------------------------------------------------


class Redacted(Struct, kw_only=True):
    field: str
    kind: str
    count: int


class Retained(Struct, kw_only=True, omit_defaults=True):
    """What is beside the id is on the wire only when a receipt was asked for. `flagged` is what the guard marked the memory with."""

    id: str
    redacted: list[Redacted] | UnsetType = UNSET
    deduplicated: bool | UnsetType = UNSET
    flagged: str | UnsetType = UNSET


class ItemError(Struct, kw_only=True):
    status: int
    message: str


class BatchError(Struct, kw_only=True):
    error: ItemError


class BatchRetained(Struct, kw_only=True):
    results: list[Retained | BatchError]


class Hit(Struct, kw_only=True, omit_defaults=True):
    """One result of `format: full`; keys in alphabetical order. What a memory has no provenance for is not there.

    `also` are records that say the same under the same fact key; `document`, `breadcrumb` and `anchor` say where a document's chunk stands.
    """

    also: list[str] | UnsetType = UNSET
    anchor: str | UnsetType = UNSET
    breadcrumb: str | UnsetType = UNSET
    confidence: float | UnsetType = UNSET
    content: str
    created_at: str
    document: str | UnsetType = UNSET
    explain: dict[str, object] | UnsetType = UNSET
    id: str
    relevance: float
    score: float
    session: str | UnsetType | None = UNSET
    source: str | UnsetType | None = UNSET
    status: str | UnsetType = UNSET
    statuses: list[str] | UnsetType = UNSET
    tags: list[str] = []


class Remembered(Struct, kw_only=True, omit_defaults=True):
    """`conflict_with` are records of the same fact key that say something else; `forgotten`: what a replay names is gone since.

    `flagged` is what the guard marked it with.
    """

    id: str
    status: str
    statuses: list[str]
    created_at: str
    redacted: list[Redacted]
    conflict_with: list[str]
    replayed: bool
    forgotten: bool | UnsetType = UNSET
    flagged: str | UnsetType = UNSET


class StaleReason(Struct, kw_only=True, omit_defaults=True):
    """Why a record is stale: `source_changed` with both hashes, `source_forgotten` or `inherited`."""

    reason: str
    source_id: str | UnsetType = UNSET
    stored: str | UnsetType = UNSET
    compared: str | UnsetType = UNSET


class Relation(Struct, kw_only=True):
    """A link between records."""

    id: str
    type: str
    weight: float | None
    reason: str | None


class Record(Struct, kw_only=True):
    """A record with what is known of it now. `statuses` are computed when asked; `status` is the worst of them.

    `also` say the same under the same fact key, `duplicate_of` is the oldest of those; `inherited_from` the direct sources whose statuses
    it has. `flagged` is what the guard marked it with: orders to models.
    """

    id: str
    content: str
    status: str
    statuses: list[str]
    conflict_with: list[str]
    stale_reason: StaleReason | None
    fact_key: str | None
    source: str | None
    source_id: str | None
    source_hash: str | None
    source_revision: str | None
    confidence: float
    derived_from: list[str]
    inherited_from: list[str]
    graph_relations: list[Relation]
    created_at: str
    also: list[str]
    duplicate_of: str | None
    scope: str | None
    kind: str | None
    pinned: bool
    aliases: list[str]
    supersedes: str | None
    superseded_by: str | None
    flagged: str | None


class RecordHit(Record, kw_only=True):
    """A record as a search found it; a rank is None where that ranking doesn't know it."""

    score: float
    vector_rank: int | None
    fts_rank: int | None


class SearchMeta(Struct, kw_only=True):
    """`degraded` says what is missing, as a rebuild of the index that is under way."""

    retrieval: str
    degraded: str | None = None


class SearchResults(Struct, kw_only=True):
    results: list[RecordHit]
    meta: SearchMeta


class Version(Struct, kw_only=True):
    """One of the records under a fact key."""

    id: str
    content: str
    created_at: str
    superseded_by: str | None


class RecordDetail(Record, kw_only=True):
    """`versions` are the records of its fact key, newest first."""

    workspace: str
    visibility: str | None
    versions: list[Version]


class StaleRecord(Struct, kw_only=True):
    id: str
    stored_hash: str


class ConflictGroup(Struct, kw_only=True):
    fact_key: str
    ids: list[str]


class Validated(Struct, kw_only=True, omit_defaults=True):
    """The records of a source against a hash. `truncated`: lists were cut, the counts weren't."""

    source_id: str
    checked: int
    fresh: list[str]
    stale: list[StaleRecord]
    conflicts: list[ConflictGroup]
    unhashed: list[str]
    summaries_affected: list[str]
    truncated: bool | UnsetType = UNSET


class Forgotten(Struct, kw_only=True):
    """What was forgotten; an id that names nothing and one that may not be seen are answered alike."""

    forgotten: bool
    count: int
    ids: list[str]
    replayed: bool | UnsetType = UNSET


class Recalled(Struct, kw_only=True):
    """Hits in rank order. `bare` says that the surface serves contents only; `index` that part of the index is being rebuilt;
    `truncated` that the budget left something out; `degraded` that a model failed which would have had a say in the order.
    """

    hits: list[Hit]
    bare: bool
    index: str | None = None
    truncated: bool = False
    degraded: bool = False


class Item(Struct, kw_only=True, omit_defaults=True):
    """A stored memory as the lifecycle routes serve it."""

    content: str
    context: str | None = None
    created_at: str
    id: str


class Page(Struct, kw_only=True):
    items: list[Item]
    total: int
    truncated: int = 0
    toon: bool = False


class Deleted(Struct, kw_only=True):
    deleted: bool


class Stats(Struct, kw_only=True):
    memories: int
    tags: int
    oldest: str | None
    newest: str | None


class BankRow(Struct, kw_only=True):
    bank: str
    memories: int
    newest: str | None


class Banks(Struct, kw_only=True):
    banks: list[BankRow]


class BankDeleted(Struct, kw_only=True):
    deleted: bool
    memories: int


class BankMoved(Struct, kw_only=True):
    """`bank` is where the memories are now, `memories` how many came, `deduplicated` how many were there already.

    `clashes` memories came without their document ids, which the target holds with another text; `clashing` names the first of them.
    `documents` came along, with their versions.
    """

    bank: str
    memories: int
    documents: int = 0
    deduplicated: int = 0
    clashes: int = 0
    clashing: list[str] = []


class SweptBank(Struct, kw_only=True):
    """`cutoff` is None where nothing could be deleted; `skipped` then says why. `kept` are records as old: they stay.

    `purged`: records forgotten longer ago than the bank's `purge_after_days`, whose texts go.
    """

    bank: str
    ttl_days: int | None
    cutoff: str | None
    deleted: int
    skipped: str | None
    kept: int = 0
    purged: int = 0


class Swept(Struct, kw_only=True):
    """With `dry_run` the counts say what would be deleted."""

    dry_run: bool
    banks: list[SweptBank]
    deleted: int


class Entry(Struct, kw_only=True):
    """A memory within an injected block; with its ranks among what was considered, where a bank's vectors were asked as well."""

    id: str
    created_at: str
    relevance: float
    lexical_rank: int | UnsetType = UNSET
    vector_rank: int | UnsetType = UNSET


class Injected(Struct, kw_only=True):
    """`text` is the finished block, empty when nothing is to be injected; `bank` the one that was read."""

    bank: str
    text: str
    entries: list[Entry]


class Captured(Struct, kw_only=True):
    """How many memories were written, and how many turns and notes were there already."""

    bank: str
    stored: int
    known: int


class Injection(Struct, kw_only=True):
    """One line of the log. `id` and `text`, the memory's beginning on one line, are None when it was deleted since.

    `held`: the session still has it in its context.
    """

    id: str | None
    text: str | None
    session: str
    host: str | None
    event: str
    at: str
    relevance: float
    held: bool


class InjectionLog(Struct, kw_only=True):
    injections: list[Injection]
    total: int


class MemoryHistory(Struct, kw_only=True):
    """What is known of one memory. `stored_at` is when it was written, `created_at` when it happened."""

    id: str
    content: str
    created_at: str
    stored_at: str
    tags: list[str]
    session: str | None
    document_id: str | None
    context: str | None
    injections: list[Injection]


class Ready(Struct, kw_only=True):
    ready: bool
    store: str
    index: str
