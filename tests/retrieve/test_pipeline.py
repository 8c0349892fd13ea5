"""What recall promises whatever is stored and asked: filters before the cut, private statistics, budgets, any text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_wire import Memory
from memory_wire.config import CHARS_PER_TOKEN, QUERY_CHARS, RESULTS, TRUNCATED
from memory_wire.types import Hit

Fresh = Callable[[], str]
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
UNLIMITED = 10**9
TAGS = ["red", "green", "blue"]
DAYS = ["2026-01-01", "2026-01-02", "2026-01-02T00:00:00.250Z", "2026-01-02T00:00:00.750Z", "2026-01-03"]
SESSIONS = [None, "one", "two"]

items = st.fixed_dictionaries(
    {"tags": st.lists(st.sampled_from(TAGS), max_size=2), "created_at": st.sampled_from(DAYS), "session": st.sampled_from(SESSIONS)}
)
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
words = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "running", "東京", "für", "x7"]), min_size=1, max_size=8).map(" ".join)


def store(memory: Memory, bank: str, rows: list[dict[str, object]]) -> list[str]:
    """Stores rows in batches; returns their ids."""
    ids: list[str] = []
    for start in range(0, len(rows), 1000):
        ids += [one.id for one in memory.retain_batch(rows[start : start + 1000], bank=bank).results]  # type: ignore[union-attr]
    return ids


def plain(hits: list[Hit]) -> list[tuple[str, float, float]]:
    return [(hit.content, hit.score, hit.relevance) for hit in hits]


@FEW
@given(
    st.lists(items, min_size=1, max_size=12),
    st.lists(st.sampled_from(TAGS), max_size=2),
    st.lists(st.sampled_from(TAGS), max_size=2),
    st.sampled_from([None, *DAYS]),
    st.sampled_from([None, *DAYS]),
    st.sampled_from(SESSIONS),
)
def test_filters_let_through_exactly_what_they_should(
    memory: Memory, fresh: Fresh, rows: list[dict[str, object]], tags: list[str], exclude: list[str], since: str, until: str, session: str
) -> None:
    bank = fresh()
    ids = store(memory, bank, [{"content": f"topic number {place}", "document_id": str(place), **row} for place, row in enumerate(rows)])
    hits = memory.recall(
        "topic", bank=bank, tags=tags, exclude_tags=exclude, since=since, until=until, session=session, budget=UNLIMITED, k=RESULTS
    )

    def allowed(row: dict[str, object]) -> bool:
        own, when = set(row["tags"]), DAYS.index(row["created_at"])  # type: ignore[call-overload, arg-type]
        return (
            (not tags or bool(own & set(tags)))
            and not own & set(exclude)
            and (since is None or when >= DAYS.index(since))
            and (until is None or when < DAYS.index(until))
            and (session is None or row["session"] == session)
        )

    assert {hit.id for hit in hits} == {id for id, row in zip(ids, rows, strict=True) if allowed(row)}


def test_what_is_filtered_out_never_takes_a_place(memory: Memory, fresh: Fresh) -> None:
    bank = fresh()
    noise = {"content": "falcon falcon falcon migration", "tags": ["noise"], "session": "noise"}
    rows = [{**noise, "document_id": f"n{i}", "created_at": "2026-01-02T00:00:00.900Z"} for i in range(1500)]
    rows += [{"content": f"a falcon {i}", "tags": ["kept"], "session": "kept", "created_at": "2026-01-02T00:00:00.100Z"} for i in range(3)]
    store(memory, bank, rows)
    filters: list[dict[str, object]] = [
        {"tags": ["kept"]},
        {"exclude_tags": ["noise"]},
        {"session": "kept"},
        {"until": "2026-01-02T00:00:00.500Z"},
        {"since": "2026-01-02T00:00:00.050Z", "until": "2026-01-02T00:00:00.101Z"},
    ]
    for chosen in filters:
        found = {hit.content for hit in memory.recall("falcon migration", bank=bank, budget=UNLIMITED, **chosen)}  # type: ignore[arg-type]
        assert found == {"a falcon 0", "a falcon 1", "a falcon 2"}, chosen


@FEW
@given(st.lists(words, min_size=1, max_size=8, unique=True), st.lists(words, min_size=1, max_size=20), words)
def test_another_bank_changes_nothing(memory: Memory, fresh: Fresh, mine: list[str], others: list[str], query: str) -> None:
    bank, other = fresh(), fresh()
    store(memory, bank, [{"content": content, "session": "s" if place % 2 else None} for place, content in enumerate(mine)])
    before = plain(memory.recall(query, bank=bank))
    store(memory, other, [{"content": content, "session": "s", "tags": ["t"]} for content in others])
    memory.put_config({"recallSynonyms": {"alpha": {"terms": ["beta"]}}, "language": "none", "recallMaxTokens": 1}, bank=other)
    assert plain(memory.recall(query, bank=bank)) == before


@FEW
@given(st.lists(text.filter(lambda content: bool(content.strip())), min_size=1, max_size=5), text, st.integers(0, 60))
def test_any_text_is_kept_and_any_query_answered(memory: Memory, fresh: Fresh, contents: list[str], query: str, budget: int) -> None:
    bank = fresh()
    ids = store(
        memory, bank, [{"content": content, "context": content, "document_id": str(place)} for place, content in enumerate(contents)]
    )
    for id, content in zip(ids, contents, strict=True):
        item = memory.get(id, bank=bank)
        assert (item.content, item.context) == (content, content)
    for asked in (query, contents[0]):
        hits = memory.recall(asked, bank=bank, budget=budget)
        assert sum(len(hit.content) for hit in hits) <= budget * CHARS_PER_TOKEN
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert all(0 <= hit.relevance <= 1 and hit.score > 0 and hit.id in ids for hit in hits)
        whole = dict(zip(ids, contents, strict=True))
        assert all(whole[hit.id].startswith(hit.content.removesuffix(TRUNCATED)) for hit in hits)


@FEW
@given(st.lists(words, min_size=1, max_size=30, unique=True), words, st.integers(1, 5), st.floats(0, 1))
def test_k_and_the_floor_only_cut(memory: Memory, fresh: Fresh, contents: list[str], query: str, k: int, floor: float) -> None:
    bank = fresh()
    store(memory, bank, [{"content": content} for content in contents])
    every = plain(memory.recall(query, bank=bank, budget=UNLIMITED))
    assert plain(memory.recall(query, bank=bank, budget=UNLIMITED, k=k)) == every[:k]
    kept = [hit for hit in every if hit[2] >= floor]
    assert plain(memory.recall(query, bank=bank, budget=UNLIMITED, min_score=floor)) == kept


@FEW
@given(st.lists(words, min_size=2, max_size=12, unique=True), words, st.data())
def test_a_deleted_memory_leaves_no_trace(memory: Memory, fresh: Fresh, contents: list[str], query: str, data: st.DataObject) -> None:
    bank, clean = fresh(), fresh()
    ids = store(memory, bank, [{"content": content, "session": "s"} for content in contents])
    memory.recall(query, bank=bank)
    gone = data.draw(st.sets(st.integers(0, len(contents) - 1), max_size=len(contents) - 1))
    for place in gone:
        assert memory.forget(ids[place], bank=bank)
    left = [content for place, content in enumerate(contents) if place not in gone]
    scores = {hit.content: hit.score for hit in memory.recall(query, bank=bank, budget=UNLIMITED)}
    assert set(scores) <= set(left)
    # without sessions (whose gaps keep neighbours apart) the ranking is that of a bank that never had them
    lone, lone_clean = fresh(), fresh()
    ids = store(memory, lone, [{"content": content} for content in contents])
    for place in gone:
        memory.forget(ids[place], bank=lone)
    store(memory, lone_clean, [{"content": content} for content in left])
    assert plain(memory.recall(query, bank=lone)) == plain(memory.recall(query, bank=lone_clean))
    assert memory.recall(query, bank=clean) == []


def test_an_index_built_anew_answers_the_same(tmp_path: Path) -> None:
    rows = [
        {"content": f"{name}: note {i} about the {thing}", "session": f"s{i % 5}", "tags": [thing], "created_at": f"2026-0{1 + i % 9}-11"}
        for i, (name, thing) in enumerate(
            (name, thing) for name in ("Ann", "Bob", "Cid") for thing in ("boat", "kite", "lamp", "door") * 25
        )
    ]
    asked = ["what did Ann say about the boat", "kites in March", "bob lamp", "lampp light"]
    with Memory(tmp_path / "memory.db") as memory:
        store(memory, "default", rows)
        memory.forget(memory.retain("boat to be deleted").id)
        before = [plain(memory.recall(query)) for query in asked]
        memory.service.idle()
        assert [plain(memory.recall(query)) for query in asked] == before
    with Memory(tmp_path / "memory.db") as memory:
        assert [plain(memory.recall(query)) for query in asked] == before
        assert all(before)


@pytest.mark.parametrize("count", [1, 64, 65, 5000])
def test_a_huge_query_is_capped_and_says_so(memory: Memory, fresh: Fresh, count: int) -> None:
    bank = fresh()
    store(memory, bank, [{"content": "word0 alone"}])
    query = " ".join(f"word{i}" for i in range(count))
    read = query[:QUERY_CHARS].split()
    (hit,) = memory.recall(query, bank=bank, explain=True)
    assert isinstance(hit.explain, dict)
    asked = hit.explain["query"]
    assert isinstance(asked, dict)
    assert len(asked["words"]) == min(count, 64) and bool(asked["dropped"]) == (count > 64)
    assert len(asked["words"]) + asked["n_dropped"] == len(set(read)) and len(asked["dropped"]) <= 64  # named for every hit


def test_explained_parts_add_up(memory: Memory, fresh: Fresh) -> None:
    bank = fresh()
    long = "Filler words stand here without end. " * 40 + "The harbour crane was repaired in June. " + "And more of it. " * 20
    store(
        memory,
        bank,
        [{"content": long, "created_at": "2026-06-16"}, {"content": "a crane", "session": "s"}, {"content": "Ann: crane", "session": "s"}],
    )
    hits = memory.recall("when was the harbour crane repaired, 16 June", bank=bank, explain=True)
    assert len(hits) == 3
    for hit in hits:
        assert isinstance(hit.explain, dict)
        parts, passage = hit.explain["parts"], hit.explain["passage"]
        assert isinstance(parts, dict) and isinstance(passage, dict)
        assert sum(parts.values()) == pytest.approx(hit.score) and hit.explain["relevance"] == hit.relevance
        assert hit.content[passage["start"] : passage["end"]] == passage["text"]
    best = hits[0].explain
    assert isinstance(best, dict) and "harbour crane was repaired" in str(best["passage"])
    assert {"harbour", "crane"} <= set(best["matched"])  # type: ignore[call-overload]
