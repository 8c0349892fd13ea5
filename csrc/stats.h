/* Live statistics of a snapshot: counted once, or derived from the snapshot before by what changed. */
#ifndef MW_STATS_H
#define MW_STATS_H

#include "part.h"

/* Sessions the parts name: one more than the largest ordinal. */
uint32_t mw_count_sessions(const mw_part *parts, uint32_t n);

/* Fills the statistics of `now` (part, n_parts and n_sessions are set). sessions has room for 2 * n_sessions zeroed entries and becomes the session
 * columns. before: NULL, or a snapshot with no more sessions; parts are recognised by their owner. Columns must have been verified. */
void mw_stats_update(mw_parts *now, const mw_parts *before, uint32_t *sessions);

#endif
