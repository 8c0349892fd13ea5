#ifndef MW_ORDERS_H
#define MW_ORDERS_H
/* The parts that words play in orders to a model (tables/orders.txt, guard/parts.py). */
#include <stddef.h>
#include <stdint.h>

/* Parts of the word at `at` among `size` bytes of words as mw_terms writes them (u8 length, bytes), and of the phrases that begin with it. */
uint64_t mw_order_parts(const uint8_t *words, size_t size, size_t at);

/* Parts of any of these words. */
uint64_t mw_order_bits(const uint8_t *words, size_t size);

#endif
