"""Limits and defaults that users, operators or several modules meet, by name; those of one mechanism stand in its module.

Nothing else in the tree repeats these numbers. Imports nothing of ours.
"""

from __future__ import annotations

import os

# serving ---------------------------------------------------------------------------------------------------------------------------
DEFAULT_ADDR = "127.0.0.1:8888"
HEAD_BYTES = 16 * 1024  # request line and headers -> 431
HEADERS = 64  # -> 431
URL_BYTES = 8 * 1024  # -> 414
BODY_BYTES = 4 * 1024 * 1024  # -> 413
BODIES_BYTES = 64 * 1024 * 1024  # of all requests not yet answered -> 503
READ_BYTES = 16 * 1024  # one read; the buffer is shared by all connections
LINGER_BYTES = 8 * 1024 * 1024  # read and dropped after an early refusal
LINGER_SECONDS = 2.0
CONNECTIONS = 256
BACKLOG = 1024
PIPELINE = 8  # queued requests of one connection before reading pauses
WRITE_HIGH = 64 * 1024
WRITE_LOW = 16 * 1024
HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
BODY_RATE = 64 * 1024  # every so many bytes of a body earn one second more
IDLE_SECONDS = 60.0
STALL_SECONDS = 30.0  # in which a reader must take WRITE_LOW bytes
SWEEP_SECONDS = 1.0  # how often deadlines are looked at while connections exist
DRAIN_SECONDS = 10.0
QUIET_SECONDS = 10.0  # without a request, before caches and memory are given back
FAULT_BYTES = 16 * 1024  # of a library mapped by one page fault, instead of the kernel's 64 KiB
FAULT_LEAST = 512 * 1024  # smaller ones aren't worth it

# daemon ----------------------------------------------------------------------------------------------------------------------------
START_SECONDS = 5.0  # in which a started daemon must answer
STOP_SECONDS = 10.0  # that a daemon gets after SIGTERM
LOG_BYTES = 1024 * 1024  # of a daemon's log, then it is rotated
LOG_FILES = 3  # the log and those before it

# memories --------------------------------------------------------------------------------------------------------------------------
BANK_CHARS = 512
CONTENT_CHARS = 1_000_000
CONTEXT_CHARS = 1_000_000
KEY_CHARS = 1_024  # document_id, session, speaker
TAGS = 20  # the head is kept
TAG_CHARS = 256
POSITIONS = 1 << 31  # in a session, that an import may bring along; the index has 32 bits
BATCH_ITEMS = 1_000
CONFIG_BYTES = 256 * 1024
PAGE_LIMIT = 50
PAGE_MAX = 500

# records ---------------------------------------------------------------------------------------------------------------------------
RECORD_CHARS = 32_768  # of a record's content
SOURCE_CHARS = 2_048  # of what is told of a source
SOURCE_HASH_CHARS = 256
DERIVED = 50  # sources that one record may name
ALIASES = 20
ALIAS_CHARS = 256
CONFIDENCE = 0.5
SEARCH_LIMIT = 10
SEARCH_MAX = 50
GROUP_SHOWN = 100  # records of one fact key that are looked at, and named in an answer
RECORDS_NAMED = 1_000  # ids in one list of an answer
IDEMPOTENCY_CHARS = 255
IDEMPOTENCY_HOURS = 48  # that a key is remembered
SOURCE_HASHES = 8  # different ones that a list of sources tells of each
SOURCE_FILE_BYTES = 256 * 1024 * 1024  # of a file that is hashed
WATCH_DEBOUNCE_MS = 300  # that a file is left alone for before it is looked at

# documents -------------------------------------------------------------------------------------------------------------------------
DOCUMENT_BYTES = 2 * 1024 * 1024  # of one document's text
DOCUMENT_VERSIONS = 1_000  # kept of one document; the oldest go first
DOCUMENT_TITLE_CHARS = 300
DOCUMENT_SOURCE_CHARS = 2_048
DOCUMENT_CHUNKS = 20_000  # that are indexed of one document
FILED_DOCS = 500  # of one request that brings documents in
SYNC_FILES = 20_000  # of a folder that is followed
SYNC_STEP = 500  # documents moved, deleted or restored in one commit
SYNC_FEW = 10  # documents of a folder, of which all may go unasked
CONVERT_SECONDS = 60.0  # for the files of other formats in one request
SHARE_SECONDS = 20.0  # for a shared chat
SHARE_BYTES = 8 * 1024 * 1024
KEYLESS_CAPTURES = 30  # documents made without a key in a minute, by all together
ALLOWED_EMAILS = 100  # on an allow-list
EMAIL_CHARS = 254
PASSWORD_CHARS = 256
DIFF_CHARS = 200_000  # of one answer
OUTLINE_MAX = 5_000  # headings of one answer
DOC_SEARCH_LIMIT = 10
DOC_SEARCH_MAX = 50
SLUG_LEAST, SLUG_MOST = 3, 32  # characters
HUB_NAME_CHARS = 128
HUB_DESCRIPTION_CHARS = 2_000
HUB_INSTRUCTION_CHARS = 32_768
QUESTION_CHARS = 2_000  # of a question to a hub
RECALL_RESULTS, RECALL_MOST = 5, 20
BUNDLE_MEMBERS = 500  # documents of one bundle
BUNDLE_TITLE_CHARS = 300
BUNDLE_DESCRIPTION_CHARS = 2_000  # and of its intent
ANNOTATION_CHARS = 1_000  # of one member
DESCRIPTION_CHARS = 2_000  # of a summary that a model made
DESCRIPTION_LINES = 12  # of each of its lists
DESCRIPTION_LINE_CHARS = 500

# raw payloads: what one of them lists at most; it says when it was cut ----------------------------------------------------------------
DOC_CONCEPTS = 12
DOC_RELATIONS = 20
DOC_PARENTS = 10  # bundles that a document is in
DOC_THEMES = 5
BUNDLE_CONCEPTS = 25
BUNDLE_RELATIONS = 25
BUNDLE_FULL_BYTES = 4 * 1024 * 1024  # of the texts of one bundle
HUB_RECENT = 20
HUB_RECENT_DAYS = 7  # before the newest change
HUB_BUNDLES = 50
HUB_DOCUMENTS = 200
LLMS_DOCUMENTS = 500  # of a hub's index for programs
LLMS_BUNDLES = 100
LLMS_FULL_BYTES = 4 * 1024 * 1024  # of the texts of one hub
DISCOVER_BUNDLES = 100

# keys and people -------------------------------------------------------------------------------------------------------------------
KEY_ROUNDS = 2_000  # of hashing a key before it is compared
KEYS_KNOWN = 1_024  # that a server has looked at and remembers
PUBLIC_CALLS = 600  # a minute from one address, of a public listener
PUBLIC_BODY_BYTES = 64 * 1024  # there -> 413
PUBLIC_CONNECTIONS = 192  # of CONNECTIONS, there
RENDER_CHARS = 2_000_000  # of a document; a longer one is shown as plain text
RENDER_SECONDS = 10.0
RENDERED_BYTES = 1024 * 1024  # of pages' texts that are kept while somebody asks
LINK_USES, LINK_DAYS, LINK_DAYS_MOST = 1_000, 7, 90  # of a link that opens a document: at most, if nothing is said, at most
PEERS_KNOWN = 4_096  # whose calls are counted there
FIRST_KEY_SECONDS = 1.0  # after which a server notices the first key, made by another process
NAME_CHARS = 128  # of an account, project, member, unit or label
TERM_DAYS = 365  # of a contractor, at most
KEY_DAYS = 3_650

# recall ----------------------------------------------------------------------------------------------------------------------------
RECALL_BUDGET = 8_000  # tokens
REFLECT_BUDGET = 2_000
CHARS_PER_TOKEN = 4
RESULTS = 100
CANDIDATES = 100
QUERY_TERMS = 64
QUERY_CHARS = 100_000  # of a query that are read
TRUNCATED = "…[truncated]"

# hooks -----------------------------------------------------------------------------------------------------------------------------
INJECT_ENTRIES = 5
INJECT_CHARS = 400  # of one memory
INJECT_SECTION_CHARS = 2_000  # of one block
INJECT_START_BYTES = 2_265  # of what a session starts with, when the bank has no framing of its own
INJECT_START_RECALL_BYTES = 1_600  # of its memories, when it has
INJECT_START_CHARS = 300  # of one memory there
INJECT_AGAIN_BYTES = 1_450  # of a block for a prompt that only says "go on"
INJECT_FROZEN_CHARS = 16_000  # of the block of a host that rebuilds its prompt every turn
INJECT_FLOOR = 0.33  # relevance, for a short prompt
INJECT_WEIGHT = 1.25  # its least score, in idfs of a word the bank doesn't know
INJECT_LONG_WORDS = 3.3  # keywords of a long prompt that one passage matches at least
INJECT_LONG_WEIGHT = 1.5  # the least score for a long one
INJECT_STANDS_OUT = 2.0  # times the score of what matches a long one by chance
INJECT_NEAR_BEST = 0.3  # of the best score, that the others have at least
INJECT_TRIVIAL_CHARS = 120  # the longest answer to a "yes" that doesn't open a session
INJECT_SECONDS = 0.3  # that the embedder may take; later the order by words counts
INJECT_REPEAT_MS = 15_000  # in which the same firing once more is another host's
SHORT_PROMPT_CHARS = 160
PREVIOUS_CHARS = 600
KEYWORDS = 24  # of a long prompt
CAPSULE_CHARS = 200
PREAMBLE_CHARS = 4_000  # of a bank's own framing
TURNS = 200  # of one capture; the newest are kept
TURN_CHARS = 4_000  # of what was asked, and of the answer
TURN_LEAST_CHARS = 32  # of both together
LEDGER_DAYS = 30
LEDGER_SESSIONS = 1_000  # of a bank
SESSION_INJECTIONS = 500  # memories injected into one session
SHOWN_CHARS = 200  # of a memory in the log

# hooks of agent hosts, the asking side -----------------------------------------------------------------------------------------------
HOOK_SECONDS = 1.3  # then the process ends, whatever it waits for
HOOK_STDIN_SECONDS = 0.6  # for the payload
HOOK_START_SECONDS = 0.8  # that the start of a session waits for the server it has started
HOOK_INPUT_BYTES = 4 * 1024 * 1024  # a larger payload is read past and counts as none
HOOK_TEXT_CHARS = 8_000  # of a prompt or an answer that are sent; cut in the middle
HOOK_PREVIOUS_CHARS = 2_000  # the end of the last answer, sent with a short prompt
TRANSCRIPT_TAIL_BYTES = 128 * 1024  # in which the last answer is looked for
TRANSCRIPT_BYTES = 4 * 1024 * 1024  # of a transcript that one hook reads
TRANSCRIPT_LINE_BYTES = 512 * 1024  # a longer line is passed over
CAPTURE_TURNS = 20  # of one request
SPOOL_FILES = 256  # captures kept while no server answers; the oldest go first
SPOOL_BYTES = 8 * 1024 * 1024
SPOOL_DELIVER = 8  # sent by one hook
HOOK_SESSIONS = 200  # whose state is kept

# index -----------------------------------------------------------------------------------------------------------------------------
LIVE_UNITS = 1_000
LIVE_BYTES = 256 * 1024
LIVE_WAIT = 4  # times the bound, then a writer waits for the lock
IDLE_KEEP = 128  # a smaller live part is dropped when idle, not sealed
LONE_BYTES = 64 * 1024  # postings of one unit that is sealed alone
MERGE_INLINE = 4_096
REBUILD_INLINE = 20_000
MERGE_MAX = 1 << 20  # units of a merged segment
DEAD_SHARE = 5  # a segment with more than one in so many dead is rewritten
REINDEX_UNITS = 65_536  # of one arena while a bank is indexed anew
REINDEX_BYTES = 32 * 1024 * 1024
STEP_UNITS = 2_000  # indexed by one step of a long catch-up
INDEX_PAGE = 500  # rows read at once
LOCK_SECONDS = 5.0  # a writer at LIVE_WAIT times the bound waits so long for the bank's lock
ANALYSER = 1  # version of the text analysis: an index made with another one is rebuilt
OPEN_BANKS = 64
VECTORS_INLINE = 20_000  # that a recall reads from the store; with more to come it does without
VECTORS_LOOSE = 4_096  # kept in memory; more become a file
VECTORS_PIECES = 8  # in memory, before they are put together
VECTORS_GROWTH = 2  # a file is written anew with what comes after it until it is so many times larger
GRAPH_ROWS = 200_000  # a file of so many vectors gets a graph; smaller ones are searched as fast without
GRAPH_LINKS, GRAPH_BUILD, GRAPH_LOOK = 32, 200, 256  # hnswlib's M, ef_construction and ef
GRAPH_BUILD_SECONDS = 6 * 3600.0
GRAPH_SECONDS = 0.5  # that it may take to search one; then all is searched
GRAPH_LOAD_SECONDS = 120.0
GRAPH_WIDEN = 4  # times as many are asked of it: some are gone, some are left out by filters
VECTORS_OPEN = 8  # spaces whose vectors are mapped at once

# store -----------------------------------------------------------------------------------------------------------------------------
BUSY_MS = 5_000
CACHE_KIB = 256
JOURNAL_BYTES = 4 * 1024 * 1024
GROUP_MAX = 256  # writes of one commit

# import and seed -------------------------------------------------------------------------------------------------------------------
IMPORT_ITEM_BYTES = 64 * 1024 * 1024  # of one conversation or record that is read into memory; a larger one is passed over and named
IMPORT_FILES = 200_000  # in a folder or archive
IMPORT_UNPACKED_BYTES = 16 * 1024 * 1024 * 1024  # of an archive
IMPORT_RATIO = 200  # times its size that an archive above IMPORT_RATIO_BYTES may unpack to
IMPORT_RATIO_BYTES = 64 * 1024 * 1024
IMPORT_BATCH = 500  # memories of one transaction
IMPORT_BATCH_BYTES = 2 * 1024 * 1024
IMPORT_NAMED = 1_000  # skipped pieces that are named; all are counted
IMPORT_SHOWN = 20  # of them on a terminal
NOTE_BYTES = 4 * 1024 * 1024
SEED_COMMITS = 100
SEED_COMMITS_MAX = 100_000
SEED_BODY_LINES = 10

# background work -------------------------------------------------------------------------------------------------------------------
FAILURE_CHARS = 300  # of what is kept of an error
JOB_DIED = "Interrupted"  # what an attempt failed with until it ends, so also where its process ended first
JOB_ATTEMPTS = 5  # of a job before it is given up
JOB_RETRY_MS = 2_000  # before the second attempt; each further one waits four times as long
JOB_MS = 5_000  # that a job is kept from other processes
JOB_LEASE_MS = 60_000  # the same for one that waits outside
JOB_PAUSE_SECONDS = 0.05  # without a write, before a server begins with what waits
JOB_PATIENCE_SECONDS = 5.0  # that it leaves it alone while writes never pause
JOBS_AT_ONCE = 4  # done in one pause of a server's writes
JOBS_AT_CLOSE = 64  # of an embedded store; the rest when it is opened again
RELATIONS = 8  # that the archivist keeps of a record

# the world outside -----------------------------------------------------------------------------------------------------------------
OUTSIDE_CHILDREN = 4  # child programs that go there at once; one more holds models
OUTSIDE_BYTES = 32 * 1024 * 1024  # of one question to a child, and of its answer
OUTSIDE_GRACE_SECONDS = 1.0  # that a child may be late before it is killed
APART_CALLS = 8  # operations of a server that wait for the outside at once
PUBLIC_APART_CALLS = 4  # and of those that everybody may ask
GATEWAY_SECONDS = 20.0  # for one call of an integration that sets no other time
GATEWAY_SECONDS_MAX = 60.0
GATEWAY_BYTES = 1024 * 1024  # of its answer, where it sets no other bound
GATEWAY_ARGUMENT_BYTES = 64 * 1024  # of a call's arguments as JSON
GATEWAY_HEADERS = 32
GATEWAY_TOOLS = 200
GATEWAY_LISTS = 64  # integrations whose tools are kept
GATEWAY_LIST_MS = 5 * 60 * 1000  # that a server's list of tools holds
GATEWAY_RETRY_MS = 30 * 1000  # until one that didn't answer is asked for its tools again
GATEWAY_LIST_SECONDS = 2.5  # that integrations are waited for, all together, when tools are listed; less than AGENT_LIST_SECONDS
GATEWAY_TOOL_BYTES = 32 * 1024  # that one tool says of itself, schemas and all
GATEWAY_LIST_BYTES = 256 * 1024  # that all of one integration say
FETCH_BYTES = 8 * 1024 * 1024  # of a fetched body, where the caller sets no other bound

# uploaded sessions -----------------------------------------------------------------------------------------------------------------
SESSION_PROJECT_BYTES = 256 * 1024 * 1024  # of a project, compressed
SESSION_PUT_LINES = 1_000  # of one request
SESSION_TEXT_CHARS = 65_536  # of one message
SESSION_TOOL_CHARS = 4_000  # of what goes to a tool, and of its answer; cut in the middle
SESSION_NAME_CHARS = 128  # of a tool's name
SESSION_ID_CHARS = 64

# local agent -----------------------------------------------------------------------------------------------------------------------
AGENT_SPOOL_FILES = 10_000  # writes that wait for the server; a further one is refused
AGENT_SPOOL_BYTES = 64 * 1024 * 1024
AGENT_SEND_SECONDS = 10.0  # that a call waits for the server
AGENT_AWAY_SECONDS = 1.0  # the same while writes wait
AGENT_LIST_SECONDS = 3.0  # for its tools; then those it had are shown
AGENT_RETRY_SECONDS = 0.5  # before what waits is tried again; twice as long each time
AGENT_RETRY_MAX_SECONDS = 30.0
AGENT_CYCLE_SECONDS = 60.0  # between rounds over the sessions
AGENT_CYCLE_MAX_SECONDS = 3_600.0  # while the server takes nothing
AGENT_PIECE_BYTES = 256 * 1024  # of a session's file, in one request
AGENT_HEAD_BYTES = 4_096  # that tell one file from another

# agents (MCP) ----------------------------------------------------------------------------------------------------------------------
MCP_OUTPUT = 8_000  # tokens of the contents in one tool result
MCP_OUTPUT_MAX = 100_000  # where the call names a budget
MCP_TOOLS = 50  # tools of one page
MCP_NAME = 128  # characters of a tool's name
MCP_BATCH = 100  # messages of one array (2025-03-26 only)
MCP_STREAMS = 64  # subscriptions held open at once
MCP_URIS = 100  # resources one subscription names
MCP_PAGE = 100  # resources of one page
MCP_BANKS = 100  # bank names a completion offers
MCP_THREADS = 4  # requests that run at once over stdio
MCP_QUEUE = 256  # requests that run or wait; more are not read
MCP_CALL_SECONDS = 10.0  # that the server may take for an operation over stdio
MCP_LINE = 16 * 1024 * 1024  # bytes of one stdio message
MCP_EOF_SECONDS = 2.0  # for requests under way when stdin ends
MCP_ALIVE_SECONDS = 15.0  # between comments on a stream that has nothing to say


def state_file(db: str) -> str:
    """Where the process that serves a database says so: `serve.json` beside it."""
    return os.path.join(os.path.dirname(os.path.abspath(db)), "serve.json")


def default_db() -> str:
    """Path of the default store: `$XDG_DATA_HOME/memory-wire/memory.db`, else under `~/.local/share` (a relative XDG value is ignored)."""
    base = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(base, "memory-wire", "memory.db")
