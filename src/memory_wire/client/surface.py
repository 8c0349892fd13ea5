"""The operations of the table as typed methods, the same for the embedded store and for a running server.

Each method builds the request of one operation and returns its response; the subclass carries the call out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from memory_wire import embedding as e
from memory_wire import erasure as x
from memory_wire import freshness as f
from memory_wire import integrations as i
from memory_wire import types as t
from memory_wire.client.administration import Administration
from memory_wire.client.filing import Filing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self


class Hits(list[t.Hit]):
    """The hits of a recall, best first. `rebuilding` says how far a rebuild of the index is, when hits may be missing, else None.

    `degraded`: a model failed that would have had a say in the order.
    """

    rebuilding: str | None = None
    degraded: bool = False


class Surface(Filing, Administration):
    """The operations as methods. `bank` of a call wins over the default bank given at construction."""

    bank: str

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        """The response Struct of one operation of the table."""
        raise NotImplementedError

    def close(self) -> None:
        """Gives up connections and memory. Closing twice is no error."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def retain(
        self,
        content: str,
        *,
        bank: str | None = None,
        context: str | None = None,
        tags: list[str] | None = None,
        document_id: str | None = None,
        update_mode: str | None = None,
        created_at: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        role: str | None = None,
        source: str | None = None,
        source_id: str | None = None,
        source_hash: str | None = None,
        source_revision: str | None = None,
        fact_key: str | None = None,
        confidence: float | None = None,
        derived_from: list[str] | None = None,
    ) -> t.Retained:
        """Stores one memory durably; returns its id, what was redacted and whether it was there already.

        With any of the fields from `source` on it is a record, which nothing replaces. Raises Invalid, DocumentExists (a second `append`),
        StorageError.
        """
        request = t.Retain(
            content=content,
            context=context,
            tags=tags,
            document_id=document_id,
            update_mode=update_mode,
            created_at=created_at,
            session=session,
            speaker=speaker,
            role=role,
            source=source,
            source_id=source_id,
            source_hash=source_hash,
            source_revision=source_revision,
            fact_key=fact_key,
            confidence=confidence,
            derived_from=derived_from,
        )
        answer: t.Retained = self.call("retain", request, bank)
        return answer

    def retain_batch(
        self, items: Iterable[t.Retain | Mapping[str, Any]], *, bank: str | None = None, keep: bool = False
    ) -> t.BatchRetained:
        """Stores up to 1,000 memories in one transaction; `results` in order, an error where an item is invalid; it undoes no other.

        `keep` leaves a document alone that says the same already.
        """
        found = [item if isinstance(item, t.Retain) else t.Retain(**item) for item in items]
        answer: t.BatchRetained = self.call("retain_batch", t.RetainBatch(items=found, keep=keep), bank)
        return answer

    def recall(
        self,
        query: str,
        *,
        bank: str | None = None,
        budget: int | None = None,
        tags: list[str] | None = None,
        exclude_tags: list[str] | None = None,
        k: int | None = None,
        since: str | None = None,
        until: str | None = None,
        session: str | None = None,
        min_score: float | None = None,
        explain: bool | None = None,
        exclude_stale: bool | None = None,
    ) -> Hits:
        """The memories that answer a question, best first, within `budget` tokens (default: the bank's, else 8,000). Raises Invalid."""
        request = t.Recall(
            query=query,
            budget=budget,
            tags=tags,
            exclude_tags=exclude_tags,
            format="full",
            k=k,
            since=since,
            until=until,
            session=session,
            min_score=min_score,
            explain=explain,
            exclude_stale=exclude_stale,
        )
        answer: t.Recalled = self.call("recall", request, bank)
        hits = Hits(answer.hits)
        hits.rebuilding = answer.index
        hits.degraded = answer.degraded
        return hits

    def reflect(self, query: str, *, bank: str | None = None, tags: list[str] | None = None) -> str:
        """The best memory for a question, cited by id, or `no relevant memories`."""
        answer: str = self.call("reflect", t.Recall(query=query, tags=tags), bank)
        return answer

    def get_config(self, *, bank: str | None = None) -> bytes:
        """The bank's configuration, byte for byte as it was put. Raises UnknownBank."""
        answer: bytes = self.call("get_config", t.Empty(), bank)
        return answer

    def put_config(self, config: Mapping[str, object] | bytes, *, bank: str | None = None) -> bytes:
        """Replaces the bank's configuration, a JSON object; returns it. Raises UnknownBank, Invalid."""
        body = config if isinstance(config, bytes) else msgspec.json.encode(config)
        answer: bytes = self.call("put_config", t.PutConfig(body=body), bank)
        return answer

    def memories(
        self, *, bank: str | None = None, limit: int | None = None, offset: int | None = None, truncate: int | None = None
    ) -> t.Page:
        """A page of the bank, oldest first: `items` and the bank's `total`."""
        answer: t.Page = self.call("memories", t.Memories(limit=limit, offset=offset, truncate=truncate), bank)
        return answer

    def get(self, id: str, *, bank: str | None = None) -> t.Item:
        """One memory, whole. Raises UnknownMemory."""
        answer: t.Page = self.call("get", t.Get(id=id), bank)
        return answer.items[0]

    def forget(self, id: str, *, bank: str | None = None) -> bool:
        """Deletes one memory; False when it was not there."""
        answer: t.Deleted = self.call("forget", t.Forget(id=id), bank)
        return answer.deleted

    def stats(self, *, bank: str | None = None) -> t.Stats:
        """How many memories and distinct tags the bank holds, and the dates of the oldest and the newest."""
        answer: t.Stats = self.call("stats", t.Empty(), bank)
        return answer

    def banks(self) -> list[t.BankRow]:
        """The banks with their counts, by name."""
        answer: t.Banks = self.call("banks", t.Empty())
        return answer.banks

    def remember(self, content: str, *, bank: str | None = None, **told: Any) -> t.Remembered:
        """Stores a record; `told` are the further fields of `types.Remember`. Nothing is ever overwritten.

        Raises a RecordRefused, GuardRejected, IdempotencyConflict, RecordLimit, StorageError.
        """
        answer: t.Remembered = self.call("remember", t.Remember(content=content, **told), bank)
        return answer

    def search(self, query: str, *, bank: str | None = None, **how: Any) -> t.SearchResults:
        """The records that answer a question, with their statuses; `how` are the further fields of `types.Search`.

        Raises QueryEmpty, LimitRange.
        """
        answer: t.SearchResults = self.call("search", t.Search(query=query, **how), bank)
        return answer

    def validate_memory(self, source_id: str, current_source_hash: str, *, bank: str | None = None) -> t.Validated:
        """Which records of a source agree with its hash now; the hash is noted as the source's. Raises Invalid."""
        request = t.ValidateMemory(source_id=source_id, current_source_hash=current_source_hash)
        answer: t.Validated = self.call("validate_memory", request, bank)
        return answer

    def forget_record(
        self,
        memory_id: str | None = None,
        *,
        source_id: str | None = None,
        purge: bool | None = None,
        bank: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.Forgotten:
        """Forgets one record, or all of a source; what is not there is no error. `purge`: nothing of the text is kept.

        Raises ForgetTarget, Forbidden.
        """
        request = t.ForgetRecord(memory_id=memory_id, source_id=source_id, purge=purge, idempotency_key=idempotency_key)
        answer: t.Forgotten = self.call("forget_record", request, bank)
        return answer

    def get_record(self, id: str, *, bank: str | None = None) -> t.RecordDetail:
        """One record with its statuses and the versions of its fact. Raises UnknownRecord."""
        answer: t.RecordDetail = self.call("get_record", t.GetRecord(id=id), bank)
        return answer

    def list_sources(self, *, limit: int | None = None, cursor: str | None = None, bank: str | None = None) -> f.SourceList:
        """A page of the sources that the bank's records name; the answer's cursor gives the next. Raises Invalid."""
        answer: f.SourceList = self.call("list_sources", f.ListSources(limit=limit, cursor=cursor), bank)
        return answer

    def erase(
        self,
        *,
        id: str | None = None,
        source_id: str | None = None,
        subject: str | None = None,
        content: bool = False,
        all_banks: bool = False,
        dry_run: bool = False,
        bank: str | None = None,
    ) -> x.Erased:
        """Removes for good what one of id, source and subject names; `content`: also what speaks of a subject, `all_banks`: everywhere.

        Raises Invalid, Forbidden, StorageError.
        """
        request = x.Erase(id=id, source_id=source_id, subject=subject, content=content, all_banks=all_banks, dry_run=dry_run)
        answer: x.Erased = self.call("erase", request, bank)
        return answer

    def gateway_call(self, server: str, tool: str | None = None, arguments: Mapping[str, Any] | None = None) -> i.GatewayAnswer:
        """What an integration of the project answers. Raises UnknownIntegration, Forbidden, Invalid, OutsideFailed, OutsideTimeout."""
        request = i.GatewayCall(server=server, tool=tool, arguments=None if arguments is None else dict(arguments))
        answer: i.GatewayAnswer = self.call("gateway_call", request)
        return answer

    def exposed_tools(self) -> i.ExposedTools:
        """The project's integrations that are tools of their own, and what can't be one."""
        answer: i.ExposedTools = self.call("exposed_tools", t.Empty())
        return answer

    def embed(self, texts: list[str], *, query: bool = False, bank: str | None = None) -> e.Embedded:
        """Vectors of texts by the bank's embedder. Raises Invalid, OutsideFailed, OutsideTimeout."""
        answer: e.Embedded = self.call("embed", e.Embed(texts=texts, query=query), bank)
        return answer

    def embedding_status(self, *, bank: str | None = None) -> e.EmbeddingState:
        """What the bank has of its embedder. Raises UnknownBank."""
        answer: e.EmbeddingState = self.call("embedding_status", e.OfEmbedding(), bank)
        return answer

    def delete_bank(self, bank: str, *, confirm: str) -> t.BankDeleted:
        """Deletes a bank and everything in it; `confirm` repeats its name. Raises Invalid, UnknownBank."""
        answer: t.BankDeleted = self.call("delete_bank", t.DeleteBank(confirm=confirm), bank)
        return answer

    def rename_bank(self, bank: str, to: str) -> t.BankMoved:
        """Gives a bank another name. Raises UnknownBank, BankExists, Invalid."""
        answer: t.BankMoved = self.call("rename_bank", t.RenameBank(to=to), bank)
        return answer

    def copy_bank(self, bank: str, to: str) -> t.BankMoved:
        """Copies a bank to one that isn't there yet, its memories under new ids. Raises UnknownBank, BankExists, Invalid."""
        answer: t.BankMoved = self.call("copy_bank", t.CopyBank(to=to), bank)
        return answer

    def merge_bank(self, bank: str, into: str) -> t.BankMoved:
        """Moves a bank's memories, under their ids, into another bank and deletes it. Raises UnknownBank, Invalid."""
        answer: t.BankMoved = self.call("merge_bank", t.MergeBank(into=into), bank)
        return answer

    def sweep(self, *, dry_run: bool = False) -> t.Swept:
        """Deletes what is older than its bank's `ttl_days`, in all banks; with `dry_run` only counts it."""
        answer: t.Swept = self.call("sweep", t.Sweep(dry_run=dry_run))
        return answer

    def inject(self, request: t.Inject, *, bank: str | None = None) -> t.Injected:
        """What a host's hook puts into a model's context; noted for its session. Raises Invalid."""
        answer: t.Injected = self.call("inject", request, bank)
        return answer

    def capture(self, request: t.Capture, *, bank: str | None = None) -> t.Captured:
        """Stores the turns of a session, each once; how many were new and how many known. Raises Invalid."""
        answer: t.Captured = self.call("capture", request, bank)
        return answer

    def injections(
        self, *, bank: str | None = None, session: str | None = None, limit: int | None = None, offset: int | None = None
    ) -> t.InjectionLog:
        """What was injected, newest first, in all sessions of the bank or in one."""
        answer: t.InjectionLog = self.call("injections", t.Injections(session=session, limit=limit, offset=offset), bank)
        return answer

    def history(self, id: str, *, bank: str | None = None) -> t.MemoryHistory:
        """What is known of one memory. Raises UnknownMemory."""
        answer: t.MemoryHistory = self.call("history", t.History(id=id), bank)
        return answer
