#include "stats.h"

#include <string.h>

#include "live.h"
#include "segment.h"

uint32_t mw_count_sessions(const mw_part *parts, uint32_t n) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sessions = parts[i].kind == MW_SEGMENT ? ((const mw_segment *)parts[i].owner)->header.n_sessions
                                                        : atomic_load_explicit(&((mw_live *)parts[i].owner)->n_sessions, memory_order_relaxed);
        if (sessions > most) most = sessions;
    }
    return most;
}

typedef struct totals { mw_parts *now; uint32_t *length, *units; } totals;

static void change_unit(totals *t, const mw_part *p, uint32_t u, int come) {
    uint32_t length = mw_unit_length(p, u), session = mw_unit_session(p, u), sign = come ? 1u : 0u - 1u;
    uint64_t step = come ? 1 : UINT64_MAX;                                /* unsigned arithmetic: adding UINT64_MAX takes one away */
    t->now->units += step;
    t->now->passages += step * (mw_first_passage(p, u + 1) - mw_first_passage(p, u));
    t->now->tokens += step * length;
    if (session == MW_NONE) {
        t->now->groups += step;
        return;
    }
    if (come && t->units[session] == 0) t->now->groups++;
    t->units[session] += sign;
    t->length[session] += sign * length;
    if (!come && t->units[session] == 0) t->now->groups--;
}

/* Bits of word w of the living among the first n units. */
static uint64_t living(const uint64_t *dead, uint32_t n, uint32_t w) {
    if (w * UINT64_C(64) >= n) return 0;
    uint32_t left = n - w * 64;
    uint64_t all = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
    return dead ? all & ~dead[w] : all;
}

/* From the first `units` of the part less `dead` to what `p` shows. */
static void change(totals *t, const mw_part *p, uint32_t units, const uint64_t *dead) {
    uint32_t words = (uint32_t)(((uint64_t)(units > p->n_units ? units : p->n_units) + 63) / 64);
    for (uint32_t w = 0; w < words; w++) {
        uint64_t was = living(dead, units, w), is = living(p->dead, p->n_units, w);
        for (uint64_t left = was ^ is; left; left &= left - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(left);
            change_unit(t, p, w * 64 + bit, (int)(is >> bit & 1));
        }
    }
}

static const mw_part *same(const mw_parts *parts, const void *owner) {
    for (uint32_t i = 0; parts && i < parts->n_parts; i++)
        if (parts->part[i].owner == owner) return &parts->part[i];
    return NULL;
}

void mw_stats_update(mw_parts *now, const mw_parts *before, uint32_t *sessions) {
    totals t = {now, sessions, sessions + now->n_sessions};
    now->units = now->passages = now->tokens = now->groups = 0;
    if (before) {
        now->units = before->units, now->passages = before->passages, now->tokens = before->tokens, now->groups = before->groups;
        if (before->n_sessions) {
            memcpy(t.length, before->session_length, before->n_sessions * sizeof *t.length);
            memcpy(t.units, before->session_units, before->n_sessions * sizeof *t.units);
        }
    }
    for (uint32_t i = 0; before && i < before->n_parts; i++) {
        if (same(now, before->part[i].owner)) continue;
        mw_part gone = before->part[i];
        gone.n_units = 0;
        change(&t, &gone, before->part[i].n_units, before->part[i].dead);
    }
    for (uint32_t i = 0; i < now->n_parts; i++) {
        const mw_part *old = same(before, now->part[i].owner);
        if (old && old->n_units == now->part[i].n_units && old->dead == now->part[i].dead) continue;
        change(&t, &now->part[i], old ? old->n_units : 0, old ? old->dead : NULL);
    }
    now->session_length = t.length;
    now->session_units = t.units;
}
