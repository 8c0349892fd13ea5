/* Writer of segment files: sections, front-coded terms, blocked posting lists, checksums. Streaming; its memory is a few buffers.
 *
 * Sections are written one after the other. What comes to light while another section is being written (terms while postings are, the forward index
 * while the forward records are) goes to a spill: a buffer, and an unlinked file beside the target once it overflows. The first error sticks; every
 * call after it does nothing, and mw_writer_finish returns it.
 */
#ifndef MW_BUILD_H
#define MW_BUILD_H

#include "part.h"
#include "segment.h"

typedef struct mw_writer mw_writer;

/* Creates (or empties) the file. 0, MW_NOMEM, MW_IO with errno. */
int mw_writer_open(const char *path, mw_writer **out);
/* Writes header and checksums, syncs, closes. header needs the totals only; on failure the file is removed and errno kept for MW_IO. Frees w. */
int mw_writer_finish(mw_writer *w, mw_header *header);
/* Gives up: removes the file, frees w. */
void mw_writer_abort(mw_writer *w);
int mw_writer_status(const mw_writer *w);

void mw_begin(mw_writer *w, unsigned section);
void mw_put(mw_writer *w, const void *bytes, size_t n);
static inline void mw_put_u32(mw_writer *w, uint32_t value) { mw_put(w, &value, 4); }
void mw_end(mw_writer *w);

/* While MW_S_POSTINGS is open: one list at a time, ids ascending, then its key; keys ascending. A list that stayed empty adds no term. Returns the
 * term's ordinal, MW_NONE when there is none. length: counted tokens of the posting's passage (0 for fields). */
void mw_list_add(mw_writer *w, uint32_t id, uint8_t tf, uint8_t length);
uint32_t mw_list_end(mw_writer *w, const uint8_t *key, size_t len, uint32_t df_units);
/* Writes the sections collected by mw_list_end. */
void mw_write_terms(mw_writer *w, uint32_t *n_terms, uint32_t *n_field_terms);

/* While MW_S_FORWARD is open: one passage at a time. */
void mw_forward_add(mw_writer *w, const uint32_t *ordinals, unsigned n);
void mw_write_forward_index(mw_writer *w);

#endif
