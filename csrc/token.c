/* Longer than a file should be: the walk, its sentences and the passages packed from them share types nobody else needs. */
#include "token.h"

#include <string.h>

#include "stem.h"

#define ZWJ 0x200D
#define KEYCAP 0x20E3
#define KHMER_COENG 0x17D2
#define MYANMAR_VIRAMA 0x1039

/* ---- one term, growing up to the cut ---- */

typedef struct {
    uint8_t bytes[MW_TERM_BYTES];
    uint32_t length;
    int full; /* cut: nothing more may be added */
} term;

static inline void clear(term *t) {
    t->length = 0;
    t->full = 0;
}

static inline void add_bytes(term *t, const uint8_t *bytes, uint32_t n) {
    if (t->full || t->length + n > MW_TERM_BYTES) {
        t->full = 1;
        return;
    }
    memcpy(t->bytes + t->length, bytes, n);
    t->length += n;
}

static inline void add(term *t, uint32_t point) {
    uint8_t bytes[4];
    add_bytes(t, bytes, mw_utf8_write(bytes, point));
}

static void add_term(term *t, const term *more) {
    for (uint32_t i = 0; i < more->length && !t->full;) {
        uint32_t point;
        const uint32_t n = mw_utf8_read(more->bytes + i, more->bytes + more->length, &point);
        add_bytes(t, more->bytes + i, n);
        i += n;
    }
}

/* ---- the walk: plain ASCII words by hand, the rest through folded clusters ---- */

enum { IDLE, IN_WORD, AT_APOSTROPHE, IN_RUN };

typedef struct {
    const uint8_t *p, *end;
    uint32_t at; /* code points before p */
    mw_token_fn fn;
    void *context;
    int in_sentence;
    uint32_t sentence, last; /* its start, and the end of the last thing in it that isn't white space */
    /* what walk_clusters is in; start and stop are those of the word or of the newest grapheme */
    int state, latin, stacks;
    uint32_t start, stop;
    term word;
    uint32_t parts, part_points, part_last;        /* apostrophes joined; code points after the last of them and the newest one */
    uint32_t before_length, before_stop;           /* the word before that apostrophe */
    int before_latin;
    term grapheme, previous;
    uint32_t graphemes, previous_start, previous_stop;
} walk;

static inline void see(walk *w, uint32_t start, uint32_t stop) { /* anything that isn't white space */
    if (!w->in_sentence) {
        w->in_sentence = 1;
        w->sentence = start;
    }
    w->last = stop;
}

static inline int emit(walk *w, mw_token_kind kind, const uint8_t *bytes, uint32_t length, uint32_t start, uint32_t stop) {
    const mw_token token = {bytes, length, start, stop, w->sentence, kind};
    return w->fn(w->context, &token);
}

static int end_sentence(walk *w) {
    if (!w->in_sentence) return 0;
    w->in_sentence = 0;
    return emit(w, MW_SENTENCE_END, NULL, 0, w->sentence, w->last);
}

static int flush_word(walk *w) {
    w->state = IDLE;
    if (w->parts > 0 && w->part_points == 1 && w->part_last == 's') /* dog's */
        return emit(w, w->before_latin ? MW_LATIN_WORD : MW_OTHER_TOKEN, w->word.bytes, w->before_length, w->start, w->before_stop);
    return emit(w, w->latin ? MW_LATIN_WORD : MW_OTHER_TOKEN, w->word.bytes, w->word.length, w->start, w->stop);
}

static int emit_bigram(walk *w) { /* and the first of its two graphemes */
    term both = w->previous;
    add_term(&both, &w->grapheme);
    const int status = emit(w, MW_OTHER_TOKEN, both.bytes, both.length, w->previous_start, w->stop);
    return status ? status : emit(w, MW_SINGLE, w->previous.bytes, w->previous.length, w->previous_start, w->previous_stop);
}

static int flush_run(walk *w) {
    w->state = IDLE;
    if (w->graphemes == 1) return emit(w, MW_OTHER_TOKEN, w->grapheme.bytes, w->grapheme.length, w->start, w->stop);
    const int status = emit_bigram(w);
    return status ? status : emit(w, MW_SINGLE, w->grapheme.bytes, w->grapheme.length, w->start, w->stop);
}

static int flush(walk *w) {
    if (w->state == IDLE) return 0;
    return w->state == IN_RUN ? flush_run(w) : flush_word(w);
}

static int new_grapheme(walk *w, uint32_t start) {
    int status = 0;
    if (w->state != IN_RUN) {
        status = flush(w);
        w->state = IN_RUN;
        w->graphemes = 0;
    } else {
        if (w->graphemes > 1) status = emit_bigram(w);
        w->previous = w->grapheme;
        w->previous_start = w->start;
        w->previous_stop = w->stop;
    }
    clear(&w->grapheme);
    w->graphemes++;
    w->start = start;
    return status;
}

static void grapheme_goes_on(walk *w, uint32_t point, uint32_t stop) {
    add(&w->grapheme, point);
    w->stacks = point == KHMER_COENG || point == MYANMAR_VIRAMA; /* the next letter is written under this one */
    w->stop = stop;
}

static int begin_word(walk *w, uint32_t start) {
    const int status = flush(w);
    w->state = IN_WORD;
    clear(&w->word);
    w->latin = 1;
    w->parts = 0;
    w->start = start;
    return status;
}

static void join_at_apostrophe(walk *w) {
    w->state = IN_WORD;
    w->parts++;
    w->part_points = 0;
    w->before_length = w->word.length;
    w->before_stop = w->stop;
    w->before_latin = w->latin;
}

static void word_goes_on(walk *w, uint32_t point, uint32_t stop) {
    add(&w->word, point);
    if (!w->word.full && point - 'a' > 25) w->latin = 0;
    w->part_points++;
    w->part_last = point;
    w->stop = stop;
}

/* One folded code point of the cluster [start, stop). */
static int on_point(walk *w, uint32_t point, uint32_t start, uint32_t stop) {
    int status = 0;
    const uint8_t class = mw_props_of(point)->class;
    switch (class) {
    case MW_WORD:
        if (w->state == AT_APOSTROPHE)
            join_at_apostrophe(w);
        else if (w->state != IN_WORD)
            status = begin_word(w, start);
        word_goes_on(w, point, stop);
        return status;
    case MW_MARK:
        if (w->state == IN_WORD)
            word_goes_on(w, point, stop);
        else if (w->state == IN_RUN)
            grapheme_goes_on(w, point, stop);
        else
            status = flush(w);
        return status;
    case MW_GRAPHEME:
    case MW_ATTACHED:
        if (w->state != IN_RUN || !(w->stacks || class == MW_ATTACHED)) status = new_grapheme(w, start);
        grapheme_goes_on(w, point, stop);
        return status;
    case MW_APOSTROPHE:
        if (w->state != IN_WORD) return flush(w);
        w->state = AT_APOSTROPHE;
        return 0;
    case MW_IGNORED: return 0;
    case MW_ZWSP: return w->state == IN_RUN ? 0 : flush(w); /* separates words; scripts without spaces use it where they please */
    default: return flush(w);
    }
}

static uint32_t keycap_bytes(const uint8_t *p, const uint8_t *end) { /* of the rest of a keycap at p, 0 if there is none */
    if (end - p >= 6 && memcmp(p, "\xEF\xB8\x8F\xE2\x83\xA3", 6) == 0) return 6;
    return end - p >= 3 && memcmp(p, "\xE2\x83\xA3", 3) == 0 ? 3 : 0;
}

static inline int bears_keycap(const walk *w, const uint8_t *p) {
    if (w->end - p < 4 || p[1] < 0x80 || !((uint8_t)(*p - '0') < 10 || *p == '#' || *p == '*')) return 0;
    return keycap_bytes(p + 1, w->end) != 0;
}

static int ends_clusters(uint8_t class) { return class == MW_SEPARATOR || class == MW_EMOJI || class == MW_REGIONAL; }

/* From the start of anything that isn't plain ASCII up to the next separator or emoji. */
static int walk_clusters(walk *w) {
    mw_fold fold;
    int status = 0;
    see(w, w->at, w->at);
    mw_fold_open(&fold, w->p, (size_t)(w->end - w->p), w->at, 1);
    while (status == 0 && fold.next < fold.end) {
        uint32_t point;
        mw_utf8_read(fold.next, fold.end, &point);
        if (ends_clusters(mw_props_of(point)->class) || bears_keycap(w, fold.next)) break;
        status = mw_fold_next(&fold);
        if (status < 0) break;
        status = 0;
        for (uint32_t i = 0; i < fold.n && status == 0; i++) status = on_point(w, fold.out[i], fold.start, fold.stop);
    }
    w->p = fold.next;
    w->last = w->at = fold.at;
    mw_fold_close(&fold);
    return status ? status : flush(w);
}

/* Lower-case letter or digit of an ASCII byte, 0 for anything else. */
static const uint8_t ASCII_WORD[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9',
    ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j',
    ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't',
    ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z',
    ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j',
    ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't',
    ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

/* What follows an ASCII word at q: 0 it is over, else the bytes of an apostrophe that joins the next ASCII letter or digit, -1 anything
   that needs clusters. */
static int after_ascii_word(const walk *w, const uint8_t *q) {
    uint32_t point, n = 1;
    if (q >= w->end) return 0;
    if (*q != '\'') {
        if (*q < 0x80) return 0;
        n = mw_utf8_read(q, w->end, &point);
        const uint8_t class = mw_props_of(point)->class;
        if (class != MW_APOSTROPHE) return ends_clusters(class) ? 0 : -1;
    }
    if (q + n >= w->end) return 0;
    if (ASCII_WORD[q[n]]) return (int)n;
    return q[n] < 0x80 ? 0 : -1;
}

static int ascii_word(walk *w) {
    uint8_t bytes[MW_TERM_BYTES];
    const uint8_t *q = w->p;
    uint32_t n = 0, wide = 0; /* wide: bytes above one per code point */
    uint32_t parts = 0, before_n = 0, before_stop = 0;
    int digits = 0, before_digits = 0, joint;
    const uint8_t *part = q;
    for (;;) {
        for (uint8_t c; q < w->end && (c = ASCII_WORD[*q]) != 0; q++) {
            if (n == MW_TERM_BYTES) continue;
            digits |= c < 'a';
            bytes[n++] = c;
        }
        joint = after_ascii_word(w, q);
        if (joint <= 0) break;
        parts++;
        before_n = n;
        before_stop = w->at + (uint32_t)(q - w->p) - wide;
        before_digits = digits;
        q += joint;
        wide += (uint32_t)joint - 1;
        part = q;
    }
    if (joint < 0) return walk_clusters(w);
    const uint32_t start = w->at, stop = start + (uint32_t)(q - w->p) - wide;
    see(w, start, stop);
    w->at = stop;
    const int possessive = parts > 0 && q - part == 1 && ASCII_WORD[*part] == 's';
    w->p = q;
    if (possessive) return emit(w, before_digits ? MW_OTHER_TOKEN : MW_LATIN_WORD, bytes, before_n, start, before_stop);
    return emit(w, digits ? MW_OTHER_TOKEN : MW_LATIN_WORD, bytes, n, start, stop);
}

static int keycap(walk *w) {
    uint8_t bytes[4] = {*w->p};
    const uint32_t rest = keycap_bytes(w->p + 1, w->end), start = w->at;
    const uint32_t n = 1 + mw_utf8_write(bytes + 1, KEYCAP);
    w->p += 1 + rest;
    w->at += 1 + rest / 3;
    see(w, start, w->at);
    return emit(w, MW_OTHER_TOKEN, bytes, n, start, w->at);
}

static inline int between(uint32_t point, uint32_t first, uint32_t last) { return point - first <= last - first; }

/* One emoji with what is joined to it. Variation selectors and skin tones are not part of the term: they change the look only. */
static int emoji(walk *w, uint32_t point, uint32_t n) {
    term t;
    const uint32_t start = w->at;
    const int flag = mw_props_of(point)->class == MW_REGIONAL;
    int flag_open = flag;
    clear(&t);
    add(&t, point);
    for (;;) {
        w->p += n;
        w->at++;
        if (w->p >= w->end) break;
        n = mw_utf8_read(w->p, w->end, &point);
        if (between(point, 0xFE0E, 0xFE0F) || between(point, 0x1F3FB, 0x1F3FF)) continue;
        if (flag) {
            if (!flag_open || mw_props_of(point)->class != MW_REGIONAL) break;
            flag_open = 0;
            add(&t, point);
        } else if (between(point, 0xE0020, 0xE007F)) {
            add(&t, point);
        } else if (point == ZWJ && w->p + n < w->end) {
            uint32_t joined;
            const uint32_t more = mw_utf8_read(w->p + n, w->end, &joined);
            if (mw_props_of(joined)->class != MW_EMOJI) break;
            add(&t, ZWJ);
            add(&t, joined);
            w->p += n;
            w->at++;
            n = more;
        } else {
            break;
        }
    }
    see(w, start, w->at);
    return emit(w, MW_OTHER_TOKEN, t.bytes, t.length, start, w->at);
}

/* ---- sentences ---- */

static int is_newline(uint32_t point) { return between(point, '\n', '\r') || point == 0x85 || between(point, 0x2028, 0x2029); }

enum { NO_MARK, STOP, FULL_WIDTH_STOP, CLOSER };

static int sentence_mark(uint32_t point) {
    switch (point) {
    case '.': case '?': case '!': case 0x2026: /* ellipsis */
    case 0x589: case 0x61F: case 0x6D4:        /* Armenian and Arabic stops */
    case 0x964: case 0x965:                    /* dandas */
    case 0x104B: case 0x1362: case 0x17D4:     /* Myanmar, Ethiopic, Khmer stops */
        return STOP;
    case 0x3002: case 0xFF01: case 0xFF1F: case 0xFF61: return FULL_WIDTH_STOP;
    case '"': case '\'': case ')': case ']': case '}': case 0xBB: case 0x2019: case 0x201D: case 0x203A:
    case 0x3009: case 0x300B: case 0x300D: case 0x300F: case 0x3011: case 0xFF09:
        return CLOSER;
    default: return NO_MARK;
    }
}

/* At a stop: takes all stops and closing quotes or brackets; the sentence ends there if white space follows or one was full width. */
static int stops(walk *w) {
    const uint32_t start = w->at;
    int over = 0, mark;
    for (;;) {
        uint32_t point;
        if (w->p >= w->end) {
            over = 1;
            break;
        }
        const uint32_t n = mw_utf8_read(w->p, w->end, &point);
        mark = sentence_mark(point);
        if (mark == NO_MARK) {
            over |= (mw_props_of(point)->flags & MW_IS_SPACE) != 0;
            break;
        }
        over |= mark == FULL_WIDTH_STOP;
        w->p += n;
        w->at++;
    }
    see(w, start, w->at);
    return over ? end_sentence(w) : 0;
}

static int other(walk *w) { /* no ASCII letter or digit */
    uint32_t point;
    const uint32_t n = mw_utf8_read(w->p, w->end, &point);
    const mw_props *props = mw_props_of(point);
    switch (props->class) {
    case MW_EMOJI:
    case MW_REGIONAL: return emoji(w, point, n);
    case MW_SEPARATOR:
        if (bears_keycap(w, w->p)) return keycap(w);
        if (is_newline(point)) {
            w->p += n;
            w->at++;
            return end_sentence(w);
        }
        if (sentence_mark(point) == STOP || sentence_mark(point) == FULL_WIDTH_STOP) return stops(w);
        break;
    case MW_APOSTROPHE:
    case MW_IGNORED:
    case MW_ZWSP: break;
    default: return walk_clusters(w);
    }
    if (!(props->flags & MW_IS_SPACE)) see(w, w->at, w->at + 1);
    w->p += n;
    w->at++;
    return 0;
}

int mw_tokenise(const uint8_t *text, size_t length, mw_token_fn fn, void *context) {
    walk w;
    w.p = text;
    w.end = text + length;
    w.at = 0;
    w.fn = fn;
    w.context = context;
    w.in_sentence = 0;
    w.sentence = w.last = 0;
    w.state = IDLE;
    w.stacks = 0;
    while (w.p < w.end) {
        int status = 0;
        if (*w.p == ' ') {
            w.p++;
            w.at++;
        } else if (ASCII_WORD[*w.p]) {
            status = bears_keycap(&w, w.p) ? keycap(&w) : ascii_word(&w);
        } else {
            status = other(&w);
        }
        if (status != 0) return status;
    }
    return end_sentence(&w);
}

/* ---- passages ---- */

typedef struct { /* tokens as packed: u8 length, bytes */
    uint8_t *bytes;
    uint32_t length, n;
} row;

#define ROW_BYTES(tokens) ((tokens) * (1 + MW_TERM_BYTES))

static void put_token(row *r, const mw_token *token, int language) {
    uint8_t *at = r->bytes + r->length;
    memcpy(at + 1, token->bytes, token->length);
    size_t n = token->length;
    if (language == MW_ENGLISH && token->kind == MW_LATIN_WORD) n = mw_stem_english(at + 1, n);
    at[0] = (uint8_t)n;
    r->length += 1 + (uint32_t)n;
    r->n++;
}

static void drop_front(row *r, uint32_t length, uint32_t n) {
    memmove(r->bytes, r->bytes + length, r->length - length);
    r->length -= length;
    r->n -= n;
}

typedef struct { /* counted and extra tokens */
    row counted, extra;
} rows;

typedef struct { /* a place in p->text where a passage may end: lengths and counts only */
    rows held;
    uint32_t end, next; /* where its last sentence ends, where the next one begins */
} cut;

typedef struct {
    rows header, text;
    cut whole; /* all complete sentences */
    cut first; /* of the first passage, where it ends unless the text does within MW_PASSAGE_MOST words */
    uint32_t start, newest_end;
    int language;
    uint32_t n_passages;
    mw_buf *out;
} packer;

static void put32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

/* Writes a passage of the first tokens of p->text, as many as `part` says, and takes them out. */
static int write_passage(packer *p, rows held, uint32_t end) {
    const rows *part = &held;
    const row *lists[4] = {&p->header.counted, &part->counted, &p->header.extra, &part->extra};
    const uint8_t *bytes[4] = {p->header.counted.bytes, p->text.counted.bytes, p->header.extra.bytes, p->text.extra.bytes};
    size_t length = 12;
    for (int i = 0; i < 4; i++) length += lists[i]->length;
    if (mw_buf_room(p->out, length) != MW_TEXT_OK) return MW_TEXT_NOMEM;
    uint8_t *at = p->out->data + p->out->length;
    put32(at, p->start);
    put32(at + 4, end);
    put16(at + 8, lists[0]->n + lists[1]->n + lists[2]->n + lists[3]->n);
    put16(at + 10, lists[0]->n + lists[1]->n);
    at += 12;
    for (int i = 0; i < 4; i++) {
        if (lists[i]->length == 0) continue;
        memcpy(at, bytes[i], lists[i]->length);
        at += lists[i]->length;
    }
    p->out->length += length;
    p->n_passages++;
    drop_front(&p->text.counted, part->counted.length, part->counted.n);
    drop_front(&p->text.extra, part->extra.length, part->extra.n);
    if (p->whole.held.counted.n > part->counted.n) { /* sentences behind the cut stay complete */
        row *left[2] = {&p->whole.held.counted, &p->whole.held.extra};
        const row *taken[2] = {&part->counted, &part->extra};
        for (int i = 0; i < 2; i++) {
            left[i]->length -= taken[i]->length;
            left[i]->n -= taken[i]->n;
        }
    } else {
        memset(&p->whole, 0, sizeof p->whole);
    }
    return MW_TEXT_OK;
}

static int make_room(packer *p, const mw_token *token) { /* for one more counted token */
    if (p->text.counted.n == 0) {
        p->start = token->sentence;
        return MW_TEXT_OK;
    }
    if (p->text.counted.n < MW_PASSAGE_MOST) return MW_TEXT_OK;
    const cut at = p->n_passages == 0 && p->first.held.counted.n > 0 ? p->first : p->whole;
    int status;
    if (at.held.counted.n > 0) { /* what comes after the cut goes to the next passage */
        status = write_passage(p, at.held, at.end);
        p->start = at.held.counted.n < MW_PASSAGE_MOST ? at.next : token->sentence;
    } else { /* the sentence fills a passage alone */
        status = write_passage(p, p->text, p->newest_end);
        p->start = token->start;
    }
    return status;
}

static int on_text(void *context, const mw_token *token) {
    packer *p = context;
    if (token->kind == MW_SINGLE) {
        put_token(&p->text.extra, token, p->language);
        return 0;
    }
    if (token->kind != MW_SENTENCE_END) {
        const int status = make_room(p, token);
        if (status != MW_TEXT_OK) return status;
        const uint32_t n = p->text.counted.n;
        if (n == p->whole.held.counted.n) p->whole.next = token->sentence;
        if (n == p->first.held.counted.n) p->first.next = token->sentence;
        put_token(&p->text.counted, token, p->language);
        p->newest_end = token->end;
        return MW_TEXT_OK;
    }
    if (p->text.counted.n == p->whole.held.counted.n) return 0; /* no token in it */
    p->whole = (cut){p->text, token->end, 0};
    if (p->whole.held.counted.n < MW_PASSAGE_FULL) return 0;
    if (p->n_passages > 0) return write_passage(p, p->whole.held, p->whole.end);
    if (p->first.held.counted.n == 0) p->first = p->whole; /* a text that ends within MW_PASSAGE_MOST words is one passage */
    return 0;
}

static int on_header(void *context, const mw_token *token) {
    packer *p = context;
    if (token->kind == MW_SENTENCE_END) return 0;
    if (token->kind == MW_SINGLE) {
        put_token(&p->header.extra, token, p->language);
        return 0;
    }
    if (p->header.counted.n == MW_HEADER_TOKENS) return 1;
    put_token(&p->header.counted, token, p->language);
    return 0;
}

static uint32_t count_points(const uint8_t *text, size_t length) {
    uint32_t points = 0, point;
    for (const uint8_t *p = text; p < text + length; points++) p += mw_utf8_read(p, text + length, &point);
    return points;
}

int mw_analyse(const uint8_t *text, size_t length, int language, const uint8_t *header, size_t header_length, mw_buf *out) {
    /* Every counted token brings at most two extras (a run of two graphemes: one bigram, two singles). */
    uint8_t text_counted[ROW_BYTES(MW_PASSAGE_MOST)], text_extra[ROW_BYTES(2 * MW_PASSAGE_MOST)];
    uint8_t header_counted[ROW_BYTES(MW_HEADER_TOKENS)], header_extra[ROW_BYTES(2 * MW_HEADER_TOKENS)];
    packer p = {
        .header = {{header_counted, 0, 0}, {header_extra, 0, 0}},
        .text = {{text_counted, 0, 0}, {text_extra, 0, 0}},
        .language = language,
        .out = out,
    };
    if (mw_buf_room(out, 4) != MW_TEXT_OK) return MW_TEXT_NOMEM;
    const size_t at = out->length;
    out->length += 4;
    int status = mw_tokenise(header, header_length, on_header, &p);
    if (status < 0) return status;
    status = mw_tokenise(text, length, on_text, &p);
    if (status == MW_TEXT_OK && (p.text.counted.n > 0 || p.n_passages == 0)) {
        status = write_passage(&p, p.text, p.text.counted.n == 0 ? count_points(text, length) : p.whole.end);
    }
    put32(out->data + at, p.n_passages);
    return status;
}

/* ---- plain lists ---- */

typedef struct {
    mw_buf *out;
    int language;
} lister;

static int on_term(void *context, const mw_token *token) {
    lister *l = context;
    if (token->kind > MW_OTHER_TOKEN) return 0;
    if (mw_buf_room(l->out, 1 + MW_TERM_BYTES) != MW_TEXT_OK) return MW_TEXT_NOMEM;
    row r = {l->out->data + l->out->length, 0, 0};
    put_token(&r, token, l->language);
    l->out->length += r.length;
    return 0;
}

static int on_word(void *context, const mw_token *token) {
    lister *l = context;
    if (token->kind > MW_OTHER_TOKEN) return 0;
    if (mw_buf_room(l->out, 9 + MW_TERM_BYTES) != MW_TEXT_OK) return MW_TEXT_NOMEM;
    uint8_t *at = l->out->data + l->out->length;
    put32(at, token->start);
    put32(at + 4, token->end);
    row r = {at + 8, 0, 0};
    put_token(&r, token, MW_NO_STEMMING);
    l->out->length += 8 + r.length;
    return 0;
}

int mw_terms(const uint8_t *text, size_t length, int language, mw_buf *out) {
    lister l = {out, language};
    return mw_tokenise(text, length, on_term, &l);
}

int mw_words(const uint8_t *text, size_t length, mw_buf *out) {
    lister l = {out, MW_NO_STEMMING};
    return mw_tokenise(text, length, on_word, &l);
}
