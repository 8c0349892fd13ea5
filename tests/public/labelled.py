"""Notes with what a careful reader would say they are about, written after the rules stood and never used to change them."""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """`about` are labels that count as right, in any spelling; `must` are those that may not be missing."""

    text: str
    about: set[str]
    must: set[str]
    tags: tuple[str, ...] = ()


NOTES = {
    "espresso": Note(
        """# Dialling in espresso

Espresso is coffee that is brewed under pressure. The **grind size** decides how fast the water runs through the puck.

## Grind size

A finer grind slows the shot down. Start with 18 g in the portafilter and aim for a ratio of 1:2 in 28 seconds.

## Channeling

Channeling means that water finds a path of its own through the puck. Distribute the grounds with a *WDT tool* before tamping.

## Machines

The Gaggia Classic needs a PID for stable temperature; the Rancilio Silvia as well. See [[Water recipe]].
""",
        {
            "espresso", "grind size", "channeling", "wdt tool", "gaggia classic", "pid", "rancilio silvia", "water recipe", "wdt",
            "dialling in espresso", "machines",
        },
        {"grind size", "channeling", "gaggia classic", "rancilio silvia"},
    ),
    "postgres": Note(
        """# Why the orders table bloats

Autovacuum could not keep up since March. PostgreSQL keeps dead tuples until no transaction can see them, and the reporting job held a
snapshot for hours.

## What we changed

We set `autovacuum_vacuum_scale_factor` to 0.02 on `orders` and moved the reports to the read replica. **Dead tuples** fell from 40 % to
3 %. `pg_stat_user_tables` shows it.

## HOT updates

A HOT update is an update that touches no indexed column. Lowering the **fill factor** to 80 gave HOT updates room on the page.
""",
        {
            "autovacuum", "postgresql", "dead tuples", "autovacuum_vacuum_scale_factor", "orders", "pg_stat_user_tables", "hot updates",
            "hot update", "fill factor", "hot", "orders table bloats", "orders table", "read replica",
        },
        {"postgresql", "dead tuples", "hot updates", "fill factor"},
    ),
    "meeting": Note(
        """---
tags: [roadmap, hiring]
---
# Team sync 12 May

- **Ann Lee** takes the billing migration; Stripe goes live on 1 June.
- We stay on Kubernetes for now. Nomad was tried and dropped.
- *Action*: Bob writes the runbook for the failover drill.

## Open questions

Who owns the status page? Do we renew the Datadog contract?

## Hiring

Two offers are out for the platform team.
""",
        {
            "roadmap", "hiring", "ann lee", "stripe", "kubernetes", "nomad", "bob", "datadog", "team sync 12 may", "billing migration",
            "failover drill", "status page", "team sync", "platform team",
        },
        {"roadmap", "hiring", "ann lee", "stripe", "kubernetes", "datadog"},
        ("roadmap", "hiring"),
    ),
    "kernel": Note(
        """# io_uring notes

io_uring is a Linux interface for asynchronous input and output. It has two rings that are shared with the kernel: the **submission queue**
and the **completion queue**.

## Submission queue polling

With `IORING_SETUP_SQPOLL` a kernel thread polls the submission queue, so that no system call is needed.

## Compared with epoll

epoll tells that a descriptor is ready; io_uring tells that the work is done. libuv and Tokio can use either.

```c
/* Not A Concept */
struct io_uring ring;
```
""",
        {
            "io_uring", "submission queue", "completion queue", "submission queue polling", "ioring_setup_sqpoll", "epoll", "linux",
            "libuv", "tokio", "io_uring notes", "kernel",
        },
        {"io_uring", "submission queue", "completion queue"},
    ),
    "garden": Note(
        """# Tomatoes 2024

Sown on 3 March indoors. The *San Marzano* did best again, the *Black Krim* cracked after the rain in July.

## Blossom end rot

Blossom end rot is a lack of calcium in the fruit, mostly caused by uneven watering. Drip irrigation solved it.

## Companion planting

Basil and marigolds next to every second plant. The marigolds kept the whitefly away. #vegetables
""",
        {
            "tomatoes 2024", "tomatoes", "san marzano", "black krim", "blossom end rot", "companion planting", "basil", "marigolds",
            "vegetables", "drip irrigation", "whitefly",
        },
        {"san marzano", "black krim", "blossom end rot", "companion planting", "vegetables"},
    ),
    "japanese": Note(
        """# 全文検索エンジン

全文検索エンジンは、大量の文書から単語を探す仕組みである。**転置索引**とは、単語から文書への対応表のことだ。

## トークナイザー

トークナイザーは文を単語に分ける。日本語では形態素解析か「N-gram」を使う。形態素解析は辞書を必要とする。

## ランキング

ランキングでは文書頻度を使う。文書頻度が低い単語ほど重い。
""",
        {
            "全文検索エンジン", "転置索引", "トークナイザー", "n-gram", "形態素解析", "ランキング", "文書頻度", "単語", "文書",
            "検索エンジン", "エンジン", "日本語",
        },
        {"全文検索エンジン", "転置索引", "トークナイザー", "形態素解析", "文書頻度"},
    ),
    "chinese": Note(
        """# 分布式共识

分布式共识让多个节点对同一个值达成一致。**Raft** 是一种共识算法，比 Paxos 容易理解。

## 领导者选举

领导者选举是 Raft 的第一步。跟随者在超时后成为候选人，获得多数票的候选人成为领导者。

## 日志复制

领导者把日志条目发送给跟随者。日志复制完成后，日志条目被提交。
""",
        {
            "分布式共识", "raft", "paxos", "共识算法", "领导者选举", "日志复制", "领导者", "跟随者", "候选人", "日志条目", "日志", "共识",
        },
        {"分布式共识", "raft", "paxos", "领导者选举", "日志复制"},
    ),
    "korean": Note(
        """# 가비지 컬렉션

가비지 컬렉션은 쓰지 않는 메모리를 자동으로 돌려주는 기능이다. **세대별 수집**은 젊은 객체를 자주 검사한다.

## 참조 카운팅

참조 카운팅은 객체마다 참조 수를 센다. 순환 참조를 찾지 못한다. CPython은 참조 카운팅과 세대별 수집을 함께 쓴다.
""",
        {"가비지 컬렉션", "세대별 수집", "참조 카운팅", "cpython", "객체", "참조", "순환 참조", "메모리", "카운팅", "세대별", "수집"},
        {"가비지 컬렉션", "세대별 수집", "참조 카운팅", "cpython"},
    ),
}  # fmt: skip
