"""What the operations do, written once against the typed surface. Every surface runs every scenario; its answers must be the same.

A scenario gets a surface whose default bank doesn't exist yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from memory_wire import freshness as f
from memory_wire import sessions as kept
from memory_wire import types as t
from memory_wire.client import Surface
from memory_wire.errors import (
    BankExists,
    ConfidenceRange,
    ContentEmpty,
    ContentTooLong,
    DerivedTooMany,
    DerivedUnknown,
    DocumentExists,
    FieldTooLong,
    ForgetTarget,
    HashWithoutSource,
    IdempotencyConflict,
    IdempotencyKeyInvalid,
    Invalid,
    LimitRange,
    Malformed,
    MemoryWireError,
    NameTaken,
    OffsetMismatch,
    OutsideFailed,
    QueryEmpty,
    SupersedesUnknown,
    UnknownBank,
    UnknownDocument,
    UnknownIntegration,
    UnknownMemory,
    UnknownName,
    UnknownRecord,
    UnknownSession,
    WorkspaceNameInvalid,
    WrongType,
)
from memory_wire.service.models import HOW

Scenario = Callable[[Surface], None]
SCENARIOS: list[Scenario] = []
TABLE = {
    "kind": "static",
    "path": "package:wordllama/weights/l2_supercat_256.safetensors",
    "tokenizer": "package:wordllama/tokenizers/l2_supercat_tokenizer_config.json",
}
NOBODY = "00000000-0000-4000-8000-000000000000"


def scenario(function: Scenario) -> Scenario:
    SCENARIOS.append(function)
    return function


def refused(kind: type[MemoryWireError], text: str) -> pytest.RaisesExc[MemoryWireError]:
    """The call in this block raises exactly this."""
    return pytest.raises(kind, match=f"^{re.escape(text)}$")


def contents(hits: list[t.Hit]) -> list[str]:
    return [hit.content for hit in hits]


@scenario
def unknown_bank(s: Surface) -> None:
    assert s.recall("x") == []
    assert s.reflect("x") == "no relevant memories"
    page = s.memories()
    assert (page.items, page.total) == ([], 0)
    assert s.stats() == t.Stats(memories=0, tags=0, oldest=None, newest=None)
    with refused(UnknownMemory, "unknown memory"):
        s.get(NOBODY)
    with refused(UnknownBank, "unknown bank"):
        s.get_config()
    with refused(UnknownBank, "unknown bank"):
        s.put_config({"a": 1})
    with refused(UnknownBank, "unknown bank"):
        s.get_config()
    assert s.forget(NOBODY) is False
    with refused(UnknownBank, "unknown bank"):
        s.delete_bank(s.bank, confirm=s.bank)


@scenario
def empty_bank(s: Surface) -> None:
    assert s.forget(s.retain("gone soon").id)
    assert s.recall("gone") == []
    assert s.reflect("gone") == "no relevant memories"
    assert s.memories().total == 0
    assert s.stats() == t.Stats(memories=0, tags=0, oldest=None, newest=None)
    assert s.get_config() == b"{}"
    with refused(UnknownMemory, "unknown memory"):
        s.get(NOBODY)


@scenario
def retain_and_dedup(s: Surface) -> None:
    first = s.retain("auth uses jose middleware", created_at="2026-01-02", context="why", tags=["a"])
    assert first.deduplicated is False and first.redacted == []
    again = s.retain("auth uses jose middleware", created_at="2026-05-05", context="other", tags=["b"])
    assert again.deduplicated is True and again.id == first.id
    item = s.get(first.id)
    assert (item.content, item.context, item.created_at) == ("auth uses jose middleware", "why", "2026-01-02T00:00:00.000Z")
    assert s.recall("jose", tags=["b"]) == [] and len(s.recall("jose", tags=["a"])) == 1
    assert s.retain(" auth uses jose middleware").id != first.id  # stored untrimmed
    assert s.stats().memories == 2


@scenario
def dedup_is_per_session(s: Surface) -> None:
    lone = s.retain("ok")
    one = s.retain("ok", session="one")
    assert len({lone.id, one.id, s.retain("ok", session="two").id}) == 3
    assert s.retain("ok", session="one").id == one.id
    assert s.retain("ok").id == lone.id
    assert s.retain("ok", session="  ").id == lone.id


@scenario
def values_that_are_refused(s: Surface) -> None:
    for blank in ("", "   ", "\n\t", "\u3000", "nul \0 inside"):
        with refused(Invalid, "invalid content"):
            s.retain(blank)
    for mode in ("", "APPEND", "append ", "merge"):
        with refused(Invalid, "invalid content"):
            s.retain("x", update_mode=mode)
    with refused(Invalid, "invalid content: must be at most 1,000,000 characters"):
        s.retain("x" * 1_000_001)
    for bank in ("", " ", "\t\u3000", "a" * 513):
        if bank:  # an empty segment is no route over HTTP
            with refused(Invalid, "invalid bank id"):
                s.retain("x", bank=bank)
    with refused(Invalid, "invalid created_at: must be an RFC 3339 date-time or a date (YYYY-MM-DD) of the years 1 to 9999"):
        s.retain("x", created_at="yesterday")
    with refused(Invalid, "invalid context: must not contain NUL"):
        s.retain("x", context="a\0b")
    with refused(Invalid, "invalid tags: must be at most 256 characters"):
        s.retain("x", tags=["t" * 257])
    with refused(Invalid, "invalid document_id: must be at most 1,024 characters"):
        s.retain("x", document_id="d" * 1025)
    with refused(Invalid, "invalid session: must not contain NUL"):
        s.retain("x", session="\0")
    assert s.stats().memories == 0
    with refused(UnknownBank, "unknown bank"):  # nothing was stored, not even the bank
        s.get_config()


@scenario
def recall_values_that_are_refused(s: Surface) -> None:
    s.retain("something")
    for k in (0, 101):
        with refused(Invalid, "invalid k: must be 1 to 100"):
            s.recall("x", k=k)
    for floor in (-0.1, 1.1):
        with refused(Invalid, "invalid min_score: must be 0 to 1"):
            s.recall("x", min_score=floor)
    with refused(Invalid, "invalid query: must not contain NUL"):
        s.recall("a\0b")
    for name in ("since", "until"):
        with pytest.raises(Invalid, match=f"^invalid {name}: must be an RFC 3339"):
            s.call("recall", t.Recall(query="x", **{name: "soon"}))
    with refused(WrongType, "Failed to deserialize the JSON body into the target type: budget: expected an unsigned integer"):
        s.recall("x", budget=-1)


@scenario
def lone_surrogates_are_refused(s: Surface) -> None:
    for text in ("bad \ud800 surrogate", "\udfff"):
        with pytest.raises((Invalid, Malformed)) as caught:
            s.target.call("retain", t.Retain(content=text), s.bank)  # type: ignore[attr-defined]
        assert caught.value.status == 400


@scenario
def documents(s: Surface) -> None:
    first = s.retain("rev one about colour", document_id=" doc ", created_at="2020-01-01")
    second = s.retain("rev two about colour", document_id="doc", tags=["new"])
    assert first.id != second.id and s.stats().memories == 1
    assert contents(s.recall("colour")) == ["rev two about colour"]
    assert s.retain("rev two about colour", document_id="doc").id != second.id  # replace is never deduplicated
    assert s.recall("colour", tags=["new"]) == []  # tags replaced wholesale
    with refused(DocumentExists, "document already exists; use update_mode=replace"):
        s.retain("rev four", document_id="doc", update_mode="append")
    assert contents(s.recall("colour")) == ["rev two about colour"]
    assert s.retain("fresh", document_id="other", update_mode="append").deduplicated is False
    assert s.retain("plain", update_mode="append", document_id="  ").id == s.retain("plain").id
    assert s.retain("same", document_id="p").id != s.retain("same", document_id="q").id
    assert s.retain("same").deduplicated is True  # a row owned by a document vouches
    with refused(UnknownMemory, "unknown memory"):
        s.get(first.id)


@scenario
def a_replaced_document_keeps_its_place(s: Surface) -> None:
    for line in ("alpha one", "beta two", "gamma three"):
        s.retain(line, session="talk", document_id=line.split()[0])
    s.retain("beta changed", document_id="beta")
    hit = s.recall("beta changed")[0]
    assert hit.session == "talk"
    assert {hit.content for hit in s.recall("alpha beta gamma", session="talk")} == {"alpha one", "beta changed", "gamma three"}
    assert s.retain("beta changed", session="talk").deduplicated is True
    s.retain("beta moved", document_id="beta", session="elsewhere")
    assert s.recall("beta")[0].session == "elsewhere"


@scenario
def tags(s: Surface) -> None:
    s.retain("deploy with systemd", tags=[" Ops ", "ops", "INFRA", "", "  "])
    s.retain("deploy with docker", tags=["infra", "docker"])
    s.retain("deploy by hand")
    found = {hit.content: hit.tags for hit in s.recall("deploy")}
    assert found == {"deploy with systemd": ["ops", "infra"], "deploy with docker": ["infra", "docker"], "deploy by hand": []}
    assert contents(s.recall("deploy", tags=["OPS "])) == ["deploy with systemd"]
    assert set(contents(s.recall("deploy", tags=["ops", "docker"]))) == {"deploy with systemd", "deploy with docker"}
    assert s.recall("deploy", tags=["", "  "]) == []
    assert len(s.recall("deploy", tags=[])) == 3
    assert contents(s.recall("deploy", exclude_tags=["infra"])) == ["deploy by hand"]
    assert len(s.recall("deploy", exclude_tags=[" "])) == 3
    assert s.recall("deploy", tags=["nowhere"]) == []
    assert s.stats().tags == 3
    s.retain("many", tags=[f"t{i}" for i in range(30)])
    assert [len(s.recall("many", tags=[tag])) for tag in ("t19", "t20")] == [1, 0]
    long = ["ü" * 256, "ü" * 255 + "v"]  # beyond a key's bytes: still told apart
    s.retain("long tag", tags=[long[0]])
    assert [len(s.recall("long", tags=[tag])) for tag in long] == [1, 0]


@scenario
def exclusion_never_starves(s: Surface) -> None:
    s.retain("needle about falcon migration")
    s.retain_batch([{"content": f"falcon migration chunk {i} falcon migration", "tags": ["transcript"]} for i in range(320)])
    assert contents(s.recall("falcon migration", exclude_tags=["transcript"])) == ["needle about falcon migration"]


@scenario
def dates(s: Surface) -> None:
    for day in (1, 2, 3):
        s.retain(f"standup {day}", created_at=f"2026-03-0{day}T12:00:00Z")
    s.retain("standup late", created_at="2026-03-03T12:00:00.500Z")

    def found(**bounds: str) -> set[str]:
        return {hit.content.split()[1] for hit in s.recall("standup", **bounds)}  # type: ignore[arg-type]

    assert found(since="2026-03-02") == {"2", "3", "late"}
    assert found(until="2026-03-02T12:00:00Z") == {"1"}
    assert found(since="2026-03-02T12:00:00Z", until="2026-03-03T12:00:00.001Z") == {"2", "3"}
    assert found(since="2026-03-03T12:00:00.001Z") == {"late"}
    assert found(since="2026-03-02T14:00:00+02:00", until="2026-03-02T12:00:00.001Z") == {"2"}
    assert found(since="2026-03-03", until="2026-03-03") == set()
    assert s.stats().oldest == "2026-03-01T12:00:00.000Z"
    assert s.stats().newest == "2026-03-03T12:00:00.500Z"


@scenario
def dates_beyond_the_index(s: Surface) -> None:
    s.retain("chronicle old", created_at="0001-01-01")
    s.retain("chronicle new", created_at="9999-12-31T23:59:59.999Z")
    assert {hit.created_at for hit in s.recall("chronicle")} == {"0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"}
    assert contents(s.recall("chronicle", until="1500-01-01")) == ["chronicle old"]
    assert contents(s.recall("chronicle", since="5000-01-01")) == ["chronicle new"]
    assert s.recall("chronicle", since="0001-01-02", until="9999-12-31") == []


@scenario
def bounds_within_a_second_never_starve(s: Surface) -> None:
    s.retain("orbit early", created_at="2026-01-01T00:00:00.100Z")
    s.retain_batch([{"content": f"orbit orbit {i}", "created_at": "2026-01-01T00:00:00.900Z"} for i in range(250)])
    assert contents(s.recall("orbit", until="2026-01-01T00:00:00.500Z")) == ["orbit early"]


@scenario
def sessions(s: Surface) -> None:
    for name in ("red", "blue"):
        for i in range(3):
            s.retain(f"turn {i} about the {name} boat", session=name)
    assert {hit.session for hit in s.recall("boat")} == {"red", "blue"}
    assert [hit.session for hit in s.recall("boat", session=" blue ")] == ["blue"] * 3
    assert s.recall("boat", session="green") == []
    assert len(s.recall("boat", session="  ")) == 6  # blank means none


@scenario
def speakers_and_roles(s: Surface) -> None:
    s.retain("I moved to Lisbon", speaker="Caroline", role="user")
    s.retain("Melanie: I moved to Porto")
    s.retain("[assistant] I noted the move")
    assert s.recall("where did Caroline move")[0].content == "I moved to Lisbon"
    assert s.recall("where did Melanie move")[0].content == "Melanie: I moved to Porto"


@scenario
def budgets(s: Surface) -> None:
    s.retain("auth uses jose middleware")
    wanted = {0: [], 1: ["auth"], 2: ["auth use"], 3: ["auth uses jo"], 4: ["auth…[truncated]"], 5: ["auth use…[truncated]"]}
    assert {budget: contents(s.recall("auth jose", budget=budget)) for budget in wanted} == wanted
    assert contents(s.recall("auth", budget=2**64 - 1)) == ["auth uses jose middleware"]


@scenario
def k_and_the_cap(s: Surface) -> None:
    s.retain_batch([{"content": f"topic row {i}"} for i in range(130)])
    assert len(s.recall("topic row", budget=100_000)) == 100
    every = s.recall("topic row")
    assert [len(s.recall("topic row", k=k)) for k in (1, 7, 100)] == [1, 7, 100]
    assert s.recall("topic row", k=7) == every[:7]
    assert [hit.score for hit in every] == sorted((hit.score for hit in every), reverse=True)


@scenario
def a_long_memory_survives_the_default_budget(s: Surface) -> None:
    gold = "the lighthouse keeper wrote about storms. " * 220  # more than 2,000 tokens
    s.retain(gold)
    s.retain_batch([{"content": f"storms passed here {i}. " * 30} for i in range(20)])
    assert len(gold) > 8_000
    assert gold in contents(s.recall("lighthouse keeper storms"))


@scenario
def relevance_and_min_score(s: Surface) -> None:
    s.retain("the harbour crane was repaired")
    s.retain("a crane flew over the lake")
    full, part = s.recall("harbour crane repaired")
    assert 0 <= part.relevance < full.relevance <= 1
    assert contents(s.recall("harbour crane repaired", min_score=full.relevance)) == [full.content]
    assert len(s.recall("harbour crane repaired", min_score=0)) == 2


@scenario
def blank_and_odd_queries(s: Surface) -> None:
    s.retain("alpha nonce-7 build")
    s.retain("alpha nonce-8 build")
    assert s.recall("   ") == [] and s.recall("") == []
    assert s.recall("alpha nonce-8 build")[0].content == "alpha nonce-8 build"
    for odd in ('NOT "a* AND (b OR NEAR/2) -c: ^', "?!", "'", "\u0301", "🚀", "x" * 100_000, "word " * 20_000):
        s.recall(odd)
    assert s.reflect("") == "no relevant memories"


@scenario
def explain(s: Surface) -> None:
    s.retain("we chose postgres because of row level security")
    (hit,) = s.recall("why postgres", explain=True)
    assert isinstance(hit.explain, dict) and hit.explain
    (plain,) = s.recall("why postgres")
    assert plain.explain is not hit.explain and not isinstance(plain.explain, dict)
    assert (plain.score, plain.relevance) == (hit.score, hit.relevance)


@scenario
def reflect(s: Surface) -> None:
    rid = s.retain("we chose postgres because of row level security", tags=["db"]).id
    cited = f"based on [{rid}]: we chose postgres because of row level security"
    assert s.reflect("why postgres") == cited
    assert s.reflect("why postgres", tags=["db"]) == cited
    assert s.reflect("why postgres", tags=["web"]) == "no relevant memories"
    assert s.call("reflect", t.Recall(query="why postgres", budget=0, exclude_tags=["db"], format="full", k=1)) == cited


@scenario
def lifecycle(s: Surface) -> None:
    one = s.retain("one", context="ctx one").id
    two = s.retain("two").id
    page = s.memories()
    assert [(item.id, item.content, item.context) for item in page.items] == [(one, "one", "ctx one"), (two, "two", None)]
    assert page.total == 2 and page.truncated == 0
    assert [item.id for item in s.memories(limit=1, offset=1).items] == [two]
    assert s.memories(limit=0).items == [] and s.memories(limit=0).total == 2
    assert s.memories(offset=5).items == []
    cut = s.memories(truncate=1)
    assert cut.truncated == 2
    assert cut.items[1].content == f"t…[truncated from 3 chars; full: GET /banks/{s.bank}/memories/{two}]"
    assert [item.content for item in s.memories(truncate=3).items] == ["one", "two"]
    assert s.get(one).context == "ctx one"
    assert s.forget(one) is True and s.forget(one) is False
    assert s.recall("one") == []
    with refused(UnknownMemory, "unknown memory"):
        s.get(one)
    other = f"{s.bank}-other"
    s.retain("elsewhere", bank=other)
    with refused(UnknownMemory, "unknown memory"):
        s.get(two, bank=other)
    assert s.forget(two, bank=other) is False and s.stats().memories == 1
    for odd in ("x", "..", "not-a-uuid", NOBODY[:-1] + "z"):
        with refused(UnknownMemory, "unknown memory"):
            s.get(odd)
        assert s.forget(odd) is False


@scenario
def pages_are_capped(s: Surface) -> None:
    s.retain_batch([{"content": f"row {i}"} for i in range(600)])
    assert len(s.memories().items) == 50
    assert len(s.memories(limit=10_000).items) == 500
    assert [item.content for item in s.memories(limit=2, offset=598).items] == ["row 598", "row 599"]


@scenario
def config(s: Surface) -> None:
    s.retain("the first memory")
    assert s.get_config() == b"{}"
    body = b' {"zeta": [1, {"a": null}], "recallMaxTokens":1,"retainTags": [" Ops "], "zeta": 2}\n'
    assert s.put_config(body) == body
    assert s.get_config() == body
    s.retain("tagged by the bank config", tags=["mine"])
    assert contents(s.recall("tagged bank config")) == ["tagg"]
    (hit,) = s.recall("tagged bank config", budget=100, tags=["ops"])
    assert hit.tags == ["mine", "ops"]
    s.put_config({"recallMaxTokens": "many", "retainTags": "ops", "recallSynonyms": [1], "language": 3, "ttl_days": -1})
    assert contents(s.recall("tagged bank config")) == ["tagged by the bank config"]
    for bad in (b"[1]", b"3", b'"x"', b"null"):
        with refused(Invalid, "invalid bank config"):
            s.put_config(bad)
    for bad in (b"{", b"", b'{"a":\xff}'):
        with pytest.raises(Malformed, match=r"^Failed to parse the request body as JSON"):
            s.call("put_config", t.PutConfig(body=bad))
    assert b'"many"' in s.get_config()


@scenario
def synonyms(s: Surface) -> None:
    s.retain("the automobile is in the garage")
    s.retain("lunch is at noon")
    assert s.recall("car") == []
    s.put_config({"recallSynonyms": {"car": {"terms": ["automobile"], "weight": 0.5}, "bad": 3, "worse": {"terms": "x"}}})
    assert contents(s.recall("car")) == ["the automobile is in the garage"]
    assert s.reflect("car").endswith(": the automobile is in the garage")


@scenario
def language(s: Surface) -> None:
    s.retain("the keepers were painting")
    asked = {"paint": 1.0, "painting": 1.0}

    def found() -> dict[str, float]:
        return {query: s.recall(query)[0].relevance for query in asked}

    assert found() == asked
    s.put_config({"language": "none"})
    unstemmed = found()
    assert unstemmed["painting"] == 1.0 > unstemmed["paint"]  # a near spelling, no longer the same word
    s.put_config({})
    assert found() == asked


@scenario
def reference_fusion(s: Surface) -> None:
    s.retain("auth uses jose middleware")
    s.put_config({"fusion": "reference"})
    (hit,) = s.recall("auth")
    assert hit.score == pytest.approx(1.25 / 61, rel=1e-15)
    s.retain("auth again", tags=["skip"])
    assert {hit.content for hit in s.recall("auth")} == {"auth uses jose middleware", "auth again"}
    assert contents(s.recall("auth", exclude_tags=["skip"])) == ["auth uses jose middleware"]


@scenario
def batch(s: Surface) -> None:
    before = s.retain("already here").id
    answer = s.retain_batch(
        [
            {"content": "first", "tags": ["x"]},
            {"content": "  "},
            {"content": "already here"},
            {"content": "first"},
            {"content": "doc", "document_id": "d", "update_mode": "append"},
            {"content": "doc 2", "document_id": "d", "update_mode": "append"},
            t.Retain(content="doc 3", document_id="d"),
            {"content": "when", "created_at": "soon"},
        ]
    ).results
    errors = {place: (one.error.status, one.error.message) for place, one in enumerate(answer) if isinstance(one, t.BatchError)}
    assert errors[1] == (400, "invalid content")
    assert errors[5] == (409, "document already exists; use update_mode=replace")
    assert errors[7][1].startswith("invalid created_at: ") and len(errors) == 3
    ids = [one.id if isinstance(one, t.Retained) else "" for one in answer]
    assert ids[2] == before and ids[0] == ids[3] != ""
    assert {item.content for item in s.memories().items} == {"already here", "first", "doc 3"}
    assert contents(s.recall("doc")) == ["doc 3"]
    assert s.retain_batch([]).results == []
    with refused(Invalid, "invalid items: must be at most 1,000"):
        s.retain_batch([{"content": "x"}] * 1001)
    assert s.stats().memories == 3


@scenario
def a_batch_may_keep_documents_that_say_the_same(s: Surface) -> None:
    note = {
        "content": "the falcon flies",
        "document_id": "d",
        "tags": ["B", "a"],
        "context": "c",
        "created_at": "2026-01-01",
        "session": "s",
    }
    (first,) = s.retain_batch([note], keep=True).results
    assert isinstance(first, t.Retained) and first.deduplicated is False
    again = s.retain_batch([note, note | {"created_at": None}, note | {"session": None}], keep=True).results
    assert [(one.id, one.deduplicated) for one in again if isinstance(one, t.Retained)] == [(first.id, True)] * 3
    last = first.id
    changes: tuple[dict[str, object], ...] = (
        {"content": "the falcon lands"},
        {"tags": ["a"]},
        {"context": "d"},
        {"created_at": "2026-01-02"},
        {"session": "other"},
    )
    for change in changes:
        note |= change  # type: ignore[arg-type]
        (one,) = s.retain_batch([note], keep=True).results
        assert isinstance(one, t.Retained) and one.deduplicated is False and one.id != last
        last = one.id
    (one,) = s.retain_batch([note]).results
    assert isinstance(one, t.Retained) and one.id != last
    assert s.stats().memories == 1


@scenario
def a_batch_of_invalid_items_makes_no_bank(s: Surface) -> None:
    (one,) = s.retain_batch([{"content": " "}]).results
    assert isinstance(one, t.BatchError)
    with refused(UnknownBank, "unknown bank"):
        s.get_config()


@scenario
def redaction(s: Surface) -> None:
    token = "ghp_abcdefghijklmnop1234"
    done = s.retain(f"use {token} now, mail a.b@example.com", context=f"from {token}", tags=[token], session=f"s {token}")
    counts = {(one.field, one.kind): one.count for one in done.redacted}
    assert counts == {
        ("content", "github_token"): 1,
        ("content", "email"): 1,
        ("context", "github_token"): 1,
        ("tags", "github_token"): 1,
        ("session", "github_token"): 1,
    }
    item = s.get(done.id)
    assert item.content == "use [REDACTED:github_token] now, mail [REDACTED:email]"
    assert item.context == "from [REDACTED:github_token]"
    (hit,) = s.recall("mail now", tags=[token], session=f"s {token}")
    assert re.fullmatch(r"s \[REDACTED:github_token:[0-9a-f]{8}\]", str(hit.session))
    assert re.fullmatch(r"\[REDACTED:github_token:[0-9a-f]{8}\]", hit.tags[0])
    assert s.recall("mail now", tags=[token[:-1] + "5"]) == []
    assert s.recall("mail now", session=f"s {token[:-1]}5") == []


@scenario
def redacted_keys_stay_different(s: Surface) -> None:
    keys = [f"doc ghp_abcdefghijklmnop123{i}" for i in range(2)]
    first, second = (s.retain(f"text {i}", document_id=key) for i, key in enumerate(keys))
    assert s.stats().memories == 2
    s.retain("text 0 changed", document_id=keys[0])
    assert {item.content for item in s.memories().items} == {"text 0 changed", "text 1"}
    assert s.get(second.id).content == "text 1"
    with refused(UnknownMemory, "unknown memory"):
        s.get(first.id)
    one = s.retain("key sk-abcdefgh12345678 end")
    assert s.retain("key sk-zyxwvuts87654321 end").id == one.id  # two secrets that redact to the same text are one memory


@scenario
def any_unicode_round_trips(s: Surface) -> None:
    texts = [
        "e\u0301 ﬁ ① Å",
        "\ufeffbom\u200b\u202e",
        "\x01\x1f\x7f\x85",
        "🏳️‍🌈 👩‍👩‍👧‍👦",
        "\U0010ffff\ufffe",
        "ﷺ" * 50,
        "line\r\nline\ttab",
        " edge ",
    ]
    for text in texts:
        assert s.get(s.retain(text, context=text, session="s").id).content == text
    assert [item.context for item in s.memories().items] == texts


@scenario
def scripts(s: Surface) -> None:
    texts = [
        "東京タワーの近くで会議をした",
        "हमने परियोजना की समय सीमा बदल दी",
        "เราเลื่อนกำหนดส่งเป็นวันศุกร์",
        "le café déménage à Orléans",
        "ship it 🚀 then rest",
    ]
    s.retain_batch([{"content": text} for text in texts])
    asked = ["会議", "समय सीमा", "กำหนดส่ง", "cafe orleans", "🚀"]
    assert [s.recall(query)[0].content for query in asked] == texts


@scenario
def banks(s: Surface) -> None:
    names = [f"{s.bank} {end}" for end in ("b/b", "a%2Fa", "ü", "x?y=1&z#")]
    for count, name in enumerate(names, 1):
        s.retain_batch([{"content": f"memory {i}", "created_at": "2026-04-01"} for i in range(count)], bank=name)
    found = {row.bank: row for row in s.banks() if row.bank in names}
    assert [found[name].memories for name in names] == [1, 2, 3, 4]
    assert found[names[0]].newest == "2026-04-01T00:00:00.000Z"
    assert contents(s.recall("memory", bank=names[0])) == ["memory 0"]


@scenario
def deleting_a_bank(s: Surface) -> None:
    s.retain_batch([{"content": f"memory {i}", "tags": ["t"], "session": "s"} for i in range(5)])
    s.put_config({"retainTags": ["x"]})
    for wrong in ("", "other"):
        with refused(Invalid, "invalid confirm: must repeat the name of the bank"):
            s.delete_bank(s.bank, confirm=wrong)
    done = s.delete_bank(s.bank, confirm=s.bank)
    assert (done.deleted, done.memories) == (True, 5)
    assert s.recall("memory") == [] and s.memories().total == 0
    assert s.bank not in [row.bank for row in s.banks()]
    with refused(UnknownBank, "unknown bank"):
        s.get_config()
    s.retain("memory anew")
    assert s.get_config() == b"{}" and contents(s.recall("memory")) == ["memory anew"]
    assert s.recall("memory")[0].session is None and s.stats().tags == 0


@scenario
def banks_are_renamed(s: Surface) -> None:
    new = f"{s.bank}-new"
    with refused(UnknownBank, "unknown bank"):
        s.rename_bank(s.bank, new)
    id = s.retain("the falcon lands at dawn", tags=["a"], document_id="doc", session="talk").id
    s.put_config({"retainTags": ["kept"]})
    with refused(Invalid, "invalid to: must be another bank"):
        s.rename_bank(s.bank, s.bank)
    with refused(Invalid, "invalid bank id"):
        s.rename_bank(s.bank, " ")
    assert s.rename_bank(s.bank, new) == t.BankMoved(bank=new, memories=1)
    assert s.recall("falcon") == [] and s.stats().memories == 0
    assert s.recall("falcon", bank=new)[0].id == id
    assert s.get_config(bank=new) == b'{"retainTags":["kept"]}'
    s.retain("another of that name")
    with refused(BankExists, "bank already exists; merge puts one into another"):
        s.rename_bank(new, s.bank)
    assert contents(s.recall("falcon another")) == ["another of that name"]


@scenario
def banks_are_copied(s: Surface) -> None:
    copy = f"{s.bank}-copy"
    for i, line in enumerate(("alpha one", "beta two", "gamma three")):
        s.retain(line, session="talk", tags=["t"], document_id=f"d{i}" if i else None, created_at="2026-01-02")
    s.retain("alpha one", document_id="the same text again")
    assert s.copy_bank(s.bank, copy) == t.BankMoved(bank=copy, memories=4)
    with refused(BankExists, "bank already exists; merge puts one into another"):
        s.copy_bank(s.bank, copy)
    with refused(UnknownBank, "unknown bank"):
        s.copy_bank(f"{s.bank}-nowhere", f"{s.bank}-else")
    ours, theirs = s.memories().items, s.memories(bank=copy).items
    assert [(item.content, item.created_at) for item in ours] == [(item.content, item.created_at) for item in theirs]
    assert not {item.id for item in ours} & {item.id for item in theirs}
    assert contents(s.recall("beta", bank=copy, session="talk", tags=["t"])) == contents(s.recall("beta", session="talk", tags=["t"]))
    with refused(DocumentExists, "document already exists; use update_mode=replace"):
        s.retain("x", document_id="d1", update_mode="append", bank=copy)
    assert s.retain("alpha one", session="talk", bank=copy).deduplicated is True
    assert s.forget(theirs[0].id, bank=copy) and s.stats().memories == 4


@scenario
def banks_are_merged(s: Surface) -> None:
    into = f"{s.bank}-into"
    s.retain("kept by both")
    s.retain("first of the talk", session="talk")
    only = s.retain("only in the source", document_id="mine")
    clash = s.retain("the source's text", document_id="shared")
    s.retain("equal text", document_id="equal")
    with refused(UnknownBank, "unknown bank"):
        s.merge_bank(s.bank, into)
    there = s.retain("kept by both", bank=into)
    s.retain("begun before", session="talk", bank=into)
    s.retain("the target's text", document_id="shared", bank=into)
    s.retain("equal text", document_id="equal", bank=into)
    with refused(Invalid, "invalid into: must be another bank"):
        s.merge_bank(into, into)
    done = s.merge_bank(s.bank, into)
    assert done == t.BankMoved(bank=into, memories=3, deduplicated=2, clashes=1, clashing=["shared"])
    with refused(UnknownBank, "unknown bank"):
        s.get_config()
    assert s.stats(bank=into).memories == 7
    assert s.recall("kept by both", bank=into, k=1)[0].id == there.id
    assert s.get(only.id, bank=into).content == "only in the source"
    assert s.recall("source's text", bank=into, k=1)[0].id == clash.id
    s.retain("only in the target now", document_id="mine", bank=into)  # the document came along
    with refused(UnknownMemory, "unknown memory"):
        s.get(only.id, bank=into)
    assert {hit.content for hit in s.recall("begun first", bank=into, session="talk")} == {"begun before", "first of the talk"}


@scenario
def sweeping(s: Surface) -> None:
    s.retain("the old falcon", created_at="1970-01-01")
    s.retain("the new falcon")
    assert [(row.skipped, row.deleted) for row in s.sweep().banks] == [("no ttl_days", 0)]
    s.put_config({"ttl_days": 30})
    would = s.sweep(dry_run=True).banks[0]
    assert (would.ttl_days, would.deleted, would.skipped) == (30, 1, None) and would.cutoff
    assert len(s.recall("falcon")) == 2
    assert s.sweep().deleted == 1
    assert contents(s.recall("falcon")) == ["the new falcon"] and s.stats().memories == 1
    assert s.sweep().deleted == 0
    s.put_config({"ttl_days": 4_294_967_295})
    assert s.sweep().banks[0].skipped == "ttl_days is further out than a date can hold"
    for odd in ("30", -1, 4_294_967_296, 1.5, True, None):
        s.put_config({"ttl_days": odd})
        assert s.sweep().banks[0].skipped == "no ttl_days"


@scenario
def injecting(s: Surface) -> None:
    def prompt(text: str, session: str | None = "s", host: str | None = None, **more: Any) -> t.Injected:
        return s.inject(t.Inject(event="prompt", prompt=text, session=session, host=host, **more))

    assert prompt("anything").text == ""
    start = s.inject(t.Inject(event="session-start", session="s"))
    assert start.text.startswith(f"## memory-wire — bank `{s.bank}`\n\n") and start.entries == []
    queue = s.retain("The job queue uses advisory locks because Redis lost jobs on failover.", created_at="2026-02-03").id
    s.retain("Parking permits are renewed in March.", created_at="2026-02-04", tags=["transcript"])
    first = prompt("why advisory locks for the job queue?")
    line = "- [2026-02-03] The job queue uses advisory locks because Redis lost jobs on failover."
    assert first.text == f"### memory-wire recall — `{s.bank}`\n(recalled by relevance, unverified)\n{line}"
    assert [(entry.id, entry.created_at) for entry in first.entries] == [(queue, "2026-02-03T00:00:00.000Z")]
    assert prompt("why advisory locks for the job queue?", host="other").text == ""  # fired twice
    assert prompt("and which locks does the queue use?").text == ""  # the session has it
    assert prompt("renew parking permits in March").text == ""
    assert prompt("why advisory locks for the job queue?", session=None).text == first.text
    s.inject(t.Inject(event="pre-compact", session="s"))
    assert prompt("and which locks does the queue use?").text == first.text
    log = s.injections(session="s", limit=1)
    assert log.total == 2 and [(row.id, row.session, row.event, row.held) for row in log.injections] == [(queue, "s", "prompt", True)]
    known = s.history(queue)
    assert [row.held for row in known.injections] == [True, False] and (known.session, known.document_id) == (None, None)
    s.forget(queue)
    assert [row.id for row in s.injections().injections] == [None, None]
    with refused(UnknownMemory, "unknown memory"):
        s.history(queue)
    with refused(Invalid, "invalid event: must be one of session-start, prompt, pre-compact"):
        s.inject(t.Inject(event="lunch"))


@scenario
def capturing(s: Surface) -> None:
    def turn(answer: str, at: str = "2026-03-04T05:06:07Z", event: str = "stop", host: str = "claude-code") -> tuple[int, int]:
        said = t.Turn(user="<system-reminder>be brief</system-reminder>Why did the build break?", assistant=answer, at=at)
        done = s.capture(t.Capture(event=event, session="s", host=host, turns=[said]))
        return done.stored, done.known

    assert s.capture(t.Capture(event="stop", session="s")) == t.Captured(bank=s.bank, stored=0, known=0)
    assert s.capture(t.Capture(event="stop", turns=[t.Turn(user="ok", assistant="done")])).stored == 0
    assert turn("A header was missing") == (1, 0)
    assert turn("A header was missing", host="cursor") == (0, 1)
    assert turn("A header was missing from the wheel.", event="session-end") == (1, 0)
    assert turn("A header was missing", at="2026-03-05") == (0, 1)
    assert turn("The linker ran out of memory.") == (1, 0)  # asked again later
    first, second = s.memories().items
    assert first.content == "[user] Why did the build break?\n[assistant] A header was missing from the wheel."
    assert (first.created_at, first.context) == ("2026-03-04T05:06:07.000Z", "hook:session-end claude-code")
    known = s.history(second.id)
    assert (known.tags, known.session) == (["turn"], "s") and known.document_id and known.document_id.startswith("turn:s:")
    s.forget(second.id)
    assert turn("The linker ran out of memory.") == (0, 1)  # forgotten means forgotten
    assert s.capture(t.Capture(event="session-end", session="s", note="session s ended")).stored == 1
    assert s.capture(t.Capture(event="session-end", session="s", note="session s ended")).known == 1
    assert s.stats().memories == 2
    with refused(Invalid, "invalid event: must be one of stop, pre-compact, session-end, turn"):
        s.capture(t.Capture(event="prompt"))
    old = f"{s.bank}-older"
    s.retain("written under the former name", bank=old)
    both = s.capture(t.Capture(event="turn", session="x", former=old, turns=[t.Turn(user="y" * 40)]), bank=f"{s.bank}-newer")
    assert (both.bank, both.stored) == (old, 1)


@scenario
def records(s: Surface) -> None:
    nothing = s.search("staging deploys")
    assert (nothing.results, nothing.meta.retrieval) == ([], "lexical")
    assert s.forget_record(NOBODY) == s.forget_record(source_id="docs/deploy.md") == t.Forgotten(forgotten=False, count=0, ids=[])
    assert s.validate_memory("docs/deploy.md", "ab12").checked == 0
    first = s.remember("Staging deploys on Tuesday.", fact_key="Staging deploy", source_id="docs/deploy.md", source_hash="sha256:AB12")
    assert (first.status, first.statuses, first.conflict_with, first.replayed) == ("unverified", ["unverified"], [], False)
    assert s.validate_memory("docs/deploy.md", "ab12").fresh == [first.id]
    stale = s.validate_memory("docs/deploy.md", "cd34")
    assert (stale.checked, stale.stale) == (1, [t.StaleRecord(id=first.id, stored_hash="sha256:AB12")])
    second = s.remember("Staging deploys on Friday.", fact_key=" staging_deploy ", idempotency_key="k1", supersedes=first.id)
    again = s.remember("Staging deploys on Friday.", fact_key=" staging_deploy ", idempotency_key="k1", supersedes=first.id)
    assert (second.conflict_with, again.id, again.replayed) == ([first.id], second.id, True)
    with refused(IdempotencyConflict, "idempotency key was used for another request"):
        s.remember("Something else.", idempotency_key="k1")
    summary = s.remember("Deploys in short.", derived_from=[first.id], aliases=["rollout"], scope="ops", pinned=True)
    assert summary.statuses == ["conflict", "stale"]
    s.run_jobs()  # what the archivist links is there at once or a little later
    new, old = s.search("staging deploys", limit=2).results
    assert (new.id, new.status, new.conflict_with, old.id, old.superseded_by) == (second.id, "conflict", [first.id], first.id, second.id)
    assert old.stale_reason == t.StaleReason(reason="source_changed", source_id="docs/deploy.md", stored="sha256:AB12", compared="cd34")
    assert [hit.id for hit in s.search("rollout", scope="ops").results] == [summary.id]
    assert [hit.id for hit in s.search("staging deploys", exclude_stale=True).results] == [second.id]
    assert {hit.id for hit in s.search("staging deploys", exclude_superseded=True).results} == {second.id, summary.id}
    assert [hit.id for hit in s.search("the rolout of staging deploys", named=True).results] == [summary.id]
    whole = s.get_record(first.id)
    assert (whole.workspace, whole.statuses, [version.id for version in whole.versions]) == (
        s.bank,
        ["conflict", "stale"],
        [second.id, first.id],
    )
    hit = next(hit for hit in s.recall("rollout"))
    assert (hit.status, hit.statuses, hit.confidence, hit.also) == ("conflict", ["conflict", "stale"], 0.5, [])
    plain = s.retain("A memory of staging deploys.")
    assert [hit.status for hit in s.recall("memory", k=1)] == [msgspec.UNSET] and s.get(plain.id).content
    with refused(UnknownRecord, "unknown record"):
        s.get_record(plain.id)
    assert s.forget_record(second.id) == t.Forgotten(forgotten=True, count=1, ids=[second.id])
    assert s.forget_record(second.id).forgotten is False
    assert s.get_record(first.id).statuses == ["stale"]
    gone = s.remember("Staging deploys on Friday.", fact_key=" staging_deploy ", idempotency_key="k1", supersedes=first.id)
    assert (gone.id, gone.replayed, gone.forgotten) == (second.id, True, True)
    assert s.forget(first.id) and s.get_record(summary.id).stale_reason == t.StaleReason(reason="source_forgotten")
    bad, good = s.retain_batch([{"content": "x", "derived_from": [NOBODY]}, {"content": "Told by another.", "source": "y"}]).results
    s.run_jobs()
    assert isinstance(bad, t.BatchError) and bad.error.message == "derived_from names something that isn't there"
    assert isinstance(good, t.Retained) and s.get_record(good.id).source == "y"
    kept = s.retain("Told by a colleague.", source="a colleague", confidence=0.9)
    s.run_jobs()
    assert (s.get_record(kept.id).source, s.get_record(kept.id).confidence) == ("a colleague", 0.9)


@scenario
def vectors(s: Surface) -> None:
    with refused(UnknownBank, "unknown bank"):
        s.embedding_status()
    s.retain("The cat sat on the mat.")
    assert s.embedding_status().state == "off"
    with refused(Invalid, f"invalid embedder: {HOW}"):
        s.embed(["cat"])
    with refused(Invalid, "invalid embedder: must have a kind: none, endpoint, onnx, static"):
        s.put_config({"embedder": {"kind": "magic"}})
    s.put_config({"embedder": TABLE})
    found = s.embed(["a kitten", "a kitten"])
    assert (found.dimension, len(found.vectors), len(found.vectors[0])) == (256, 2, 256) and found.vectors[0] == found.vectors[1]
    s.run_embedding()
    assert s.run_embedding(dry_run=True, price=1.0).cost == 0.0
    state = s.embedding_status()
    assert (state.state, state.units, state.units_left, state.passages, state.bytes) == ("ready", 1, 0, 1, 260)
    proof = s.verify_embedding(sample=1)
    assert (proof.findings, proof.sampled) == ([], 1) and proof.least is not None and proof.least > 0.99
    with refused(Invalid, "invalid sample: must be 0 to 64"):
        s.verify_embedding(sample=65)


@scenario
def records_that_are_refused(s: Surface) -> None:
    kinds: list[tuple[type[MemoryWireError], str, dict[str, Any]]] = [
        (ContentEmpty, "content must say something", {"content": " \n "}),
        (ContentTooLong, "content must be at most 32,768 characters", {"content": "x" * 32_769}),
        (FieldTooLong, "fact_key must be at most 1,024 characters", {"fact_key": "k" * 1_025}),
        (HashWithoutSource, "source_hash needs the source_id that it is of", {"source_hash": "ab12"}),
        (ConfidenceRange, "confidence must be a number from 0 to 1", {"confidence": 1.5}),
        (DerivedTooMany, "derived_from must name at most 50", {"derived_from": [NOBODY] * 51}),
        (DerivedUnknown, "derived_from names something that isn't there", {"derived_from": [NOBODY]}),
        (DerivedUnknown, "derived_from names something that isn't there", {"derived_from": ["no id"]}),
        (SupersedesUnknown, "supersedes names no record here", {"supersedes": NOBODY}),
        (WorkspaceNameInvalid, "workspace must not be blank and at most 512 characters", {"workspace": " "}),
        (IdempotencyKeyInvalid, "idempotency key must be 1 to 255 visible ASCII characters", {"idempotency_key": "k" * 256}),
    ]
    for kind, text, values in kinds:
        with refused(kind, text):
            s.call("remember", t.Remember(**{"content": "fine", **values}), s.bank)
    with refused(QueryEmpty, "query must say something"):
        s.search("  ")
    for limit in (0, 51):
        with refused(LimitRange, "limit must be 1 to 50"):
            s.search("x", limit=limit)
    with refused(ForgetTarget, "exactly one of memory_id and source_id says what is forgotten"):
        s.forget_record(NOBODY, source_id="x")
    with refused(ForgetTarget, "exactly one of memory_id and source_id says what is forgotten"):
        s.forget_record()
    with refused(Invalid, "invalid document_id: a memory with provenance is a record, which nothing replaces"):
        s.retain("x", document_id="d", source="y")
    with refused(UnknownBank, "unknown bank"):  # nothing was stored, not even the bank
        s.get_config()


@scenario
def projects_and_keys(s: Surface) -> None:
    name = f"{s.bank}-web"
    assert s.create_project(name).banks == 0
    with refused(NameTaken, f"project {name!r} exists already"):
        s.create_project(name)
    for odd in ("", " ", "a/b", "x" * 129, "a\nb"):
        with refused(Invalid, "invalid name: must be 1 to 128 visible characters, no slash"):
            s.create_project(odd)
    with refused(UnknownName, f"unknown account {name!r}"):
        s.create_project("web", account=name)
    assert name in [row.name for row in s.projects().projects]
    made = s.create_key(name, rights="read", project=name, days=30)
    assert made.key.startswith("mmw_") and len(made.key) == 68 and (made.state, made.project, made.first) == ("active", name, False)
    for wrong, text in (
        ({"rights": "all"}, "invalid rights: must be one of read, write, admin"),
        ({"days": 0}, "invalid days: must be 1 to 3,650"),
    ):
        with refused(Invalid, text):
            s.create_key(name, **wrong)  # type: ignore[arg-type]
    with refused(UnknownName, "unknown project 'nowhere'"):
        s.create_key(name, project="nowhere")
    [row] = [row for row in s.keys().keys if row.label == name]
    assert (row.id, row.state) == (made.id, "active")
    assert s.revoke_key(made.id) is True and s.revoke_key(made.id) is False and s.revoke_key("nothing") is False
    assert [row.state for row in s.keys().keys if row.label == name] == ["revoked"]


@scenario
def accounts_and_people(s: Surface) -> None:
    account = f"{s.bank}-acme"
    assert (s.set_account(account, records=5).records, s.set_account(account, state="grace").state) == (5, "grace")
    row = s.set_account(account, state="active", records=0, calls_per_minute=60)
    assert (row.state, row.records, row.calls_per_minute, row.used) == ("active", None, 60, 0)
    with refused(Invalid, "invalid state: must be one of active, grace, ended"):
        s.set_account(account, state="gone")
    assert account in [row.name for row in s.accounts().accounts]
    top, team = f"{s.bank}-hq", f"{s.bank}-team"
    s.create_unit(top, level="holding")
    assert s.create_unit(team, level="team", parent=top).parent == top
    with refused(Invalid, "invalid level: a branch is no part of a team"):
        s.create_unit(f"{s.bank}-odd", level="branch", parent=team)
    assert [unit.name for unit in s.units().units if unit.name.startswith(s.bank)] == [top, team]
    ann, bob = f"{s.bank}-ann", f"{s.bank}-bob"
    assert s.set_member(ann, unit=top, role="head").places[0].role == "head"
    with refused(Invalid, "invalid days: is needed: a contractor's term, 1 to 365"):
        s.set_member(bob, unit=team, role="contractor")
    assert s.set_member(bob, email="bob@example.org").places == []
    assert s.depart(bob, heir=ann).heir == ann
    with refused(UnknownName, f"unknown member {bob!r}"):
        s.depart(bob)
    assert [member.name for member in s.members().members if member.name.startswith(s.bank)] == [ann, bob]


@scenario
def integrations(s: Surface) -> None:
    name = f"{s.bank}-wiki"
    row = s.set_integration(name, "http://127.0.0.1:1/{page}", headers={"X-Key": "a secret"}, arguments={"deep": "boolean?"})
    assert (row.headers, row.arguments, row.private) == ({"X-Key": "(set)"}, {"page": "string", "deep": "boolean?"}, True)
    assert row in s.integrations().integrations
    with refused(Invalid, "invalid url: must be http:// or https://, at most 2,048 characters"):
        s.set_integration(name, "ftp://host/")
    with refused(UnknownName, "unknown project 'nowhere'"):
        s.integrations(project="nowhere")
    with refused(OutsideFailed, "127.0.0.1: connection refused"):
        s.gateway_call(name, arguments={"page": "a"})
    with refused(Invalid, "invalid arguments: page must be string"):
        s.gateway_call(name, arguments={"page": 1})
    assert s.exposed_tools().tools == []
    with refused(Invalid, "invalid expose: is true or false for http, which has one tool"):
        s.set_integration(name, "http://127.0.0.1:1/{page}", expose=["page"])
    s.set_integration(name, "http://127.0.0.1:1/{page}", expose=True)
    [tool] = s.exposed_tools().tools
    assert (tool.name, tool.input_schema["required"]) == (name, ["page"])
    assert s.remove_integration(name) is True and s.remove_integration(name) is False
    assert s.exposed_tools().tools == []
    with pytest.raises(UnknownIntegration):
        s.gateway_call(name)


@scenario
def uploads(s: Surface) -> None:
    id = s.bank
    asked = kept.SessionLine(role="user", text="The key is sk-ant-api03-" + "a" * 60, at="2026-01-02T03:04:05Z")
    told = kept.SessionLine(role="tool", name="Bash", text="x" * 9_000)
    row = s.put_session(id, "codex", 0, 70, [asked, told])
    assert (row.offset, row.lines) == (70, 2) and row == s.session(id)
    with refused(OffsetMismatch, "the session was taken up to offset 70"):
        s.put_session(id, "codex", 0, 70, [asked])
    assert s.put_session(id, "codex", 70, 80, []).lines == 2
    assert s.put_session(id, "codex", 80, 90, [kept.SessionLine(role="assistant", text="Done.")]).offset == 90
    lines = s.session_lines(id).lines
    assert lines[0].text == "The key is [REDACTED:api_key]" and len(lines[1].text) == 4_000
    assert s.session_lines(id, limit=1, offset=2).lines == [lines[2]] == [kept.SessionLine(role="assistant", text="Done.")]
    assert [row.id for row in s.sessions().sessions].count(id) == 1
    assert list(s.recall("Done.")) == []
    with refused(Invalid, "invalid upto: must lie behind the offset"):
        s.put_session(id, "codex", 90, 90, [])
    with refused(Invalid, "invalid limit: must be 1 to 500"):
        s.sessions(limit=0)
    log = [(row.action, row.target, row.detail) for row in pages(s, "session") if row.target == id]
    assert log == [("session.put", id, None)] * 3
    assert s.delete_session(id) is True and s.delete_session(id) is False
    with refused(UnknownSession, "unknown session"):
        s.session(id)


@scenario
def the_log(s: Surface) -> None:
    first = s.remember("Told to the log.")
    s.forget_record(first.id)
    log = [(row.action, row.target, row.bank) for row in pages(s, "record") if row.bank == s.bank]
    assert log == [("record.remember", first.id, s.bank), ("record.forget", first.id, s.bank)]
    assert not [row for row in pages(s, "rec") if row.bank == s.bank]
    with refused(Invalid, "invalid limit: must be 1 to 500"):
        s.audit(limit=0)
    with refused(Invalid, "invalid cursor: is none that was given"):
        s.audit(cursor="x")
    verdict = s.verify_audit()
    assert verdict.whole and verdict.fault is None
    assert s.verify_audit(verdict.head).whole
    assert s.verify_audit("0" * 32).fault == "the chain that was noted is not in it"


def pages(s: Surface, kind: str) -> list[Any]:
    """All lines of the log of a kind, read in small pages."""
    page = s.audit(kind=kind, limit=2)
    found = list(page.events)
    while page.cursor is not None:
        page = s.audit(kind=kind, limit=2, cursor=page.cursor)
        found += page.events
    return found


@scenario
def sources_of_records(s: Surface) -> None:
    assert s.list_sources() == f.SourceList(sources=[], cursor=None)
    s.remember("Staging deploys on Tuesday.", source_id="docs/deploy.md", source_hash="ab12")
    s.remember("Staging deploys on Friday.", source_id="docs/deploy.md", source_hash="cd34")
    s.validate_memory("docs/deploy.md", "ef56")
    (row,) = s.list_sources(limit=1).sources
    assert (row.source_id, row.records, row.hashes, row.observed) == ("docs/deploy.md", 2, ["cd34", "ab12"], "ef56")
    with refused(Invalid, "invalid cursor: must be as a page gave it"):
        s.list_sources(cursor="x")


@scenario
def erasing(s: Surface) -> None:
    kept = s.retain("Somebody else likes tea.")
    first = s.retain("Ann likes coffee.", speaker="Ann")
    told = s.remember("Ann lives in Lyon.", source_id="hr/ann.md", aliases=["ann"])
    made = s.remember("People in short.", derived_from=[told.id])
    with refused(Invalid, "invalid id: exactly one of id, source_id and subject says what is erased"):
        s.erase()
    with refused(Invalid, "invalid content: goes with a subject"):
        s.erase(id="x", content=True)
    meant = s.erase(subject="Ann", dry_run=True)
    assert (meant.count, [unit.why for unit in meant.erased], meant.derived) == (2, ["speaker", "aliases"], [made.id])
    done = s.erase(subject="Ann")
    assert [unit.id for unit in done.erased] == [first.id, told.id] and s.erase(subject="Ann").count == 0
    with refused(UnknownRecord, "unknown record"):
        s.get_record(told.id)
    s.run_jobs()
    assert s.get_record(made.id).stale_reason == t.StaleReason(reason="source_forgotten")
    assert [hit.id for hit in s.recall("likes")] == [kept.id] and s.recall("Lyon") == []
    assert s.erase(subject="tea", dry_run=True).count == 0
    note = s.create_doc("# Drinks\n\nMostly tea.", is_draft=True).id
    assert s.erase(subject="tea", content=True, all_banks=True).kinds == {"memory": 1, "document": 1}
    with refused(UnknownDocument, "unknown document"):
        s.read_doc(note)


@scenario
def background(s: Surface) -> None:
    old = s.remember("Staging deploys run from the main branch.")
    new = s.remember("Staging deploys no longer run from the main branch but from release.")
    assert s.run_jobs(retry=True).jobs == s.jobs().jobs == []
    (link,) = s.get_record(new.id).graph_relations
    assert (link.id, link.type, 0 < (link.weight or 0) <= 1) == (old.id, "outdates", True)
    (back,) = s.get_record(old.id).graph_relations
    assert (back.id, back.type, back.reason) == (new.id, "outdated_by", link.reason)
