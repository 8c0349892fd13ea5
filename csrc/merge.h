/* Writes one segment from parts with ascending, disjoint id ranges: sealing (one live part) and merging (several segments) are the same walk.
 *
 * Dead units are dropped, units and passages renumbered, ordinals remapped. Memory: the writer's buffers, 4 bytes per term of each source and, for a
 * source with tombstones, 1.5 bits per unit and passage.
 */
#ifndef MW_MERGE_H
#define MW_MERGE_H

#include "part.h"

typedef struct mw_merge_options {
    uint8_t store_id[16];
    uint16_t analyser, language;
    int (*progress)(void *context, double done);      /* may be NULL; done 0..1; nonzero stops the merge with MW_CANCELLED */
    void *context;
} mw_merge_options;

/* 0; MW_INVALID when no unit is left, ids do not ascend or span more than 32 bits; MW_CORRUPT; MW_NOMEM; MW_IO with errno. The columns of segments must
 * have been verified. On failure the file is removed. */
int mw_merge(const mw_part *parts, uint32_t n_parts, const char *path, const mw_merge_options *options);

#endif
