/* Opening packs that must be refused. Packs are copied to memory of exactly their size, so that a sanitizer sees any
 * read past them. */
#ifndef MXG_TESTS_PACK_FIXTURE_H
#define MXG_TESTS_PACK_FIXTURE_H

#include "loader/mxgemm.h"
#include "make_pack.h"
#include "tests/test.h"

#include <stdlib.h>

static inline mxg_status open_exact(const void *data, size_t bytes, uint32_t *variants)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (!copy) abort();
    memcpy(copy, data, bytes);
    mxg_library *library = NULL;
    mxg_status status = mxg_library_open_memory(copy, bytes, &library);
    if (variants) *variants = mxg_library_variant_count(library);
    CHECK((status == MXG_OK) == (library != NULL));
    mxg_library_close(library);
    free(copy);
    return status;
}

/* Refused, with both parts in the sentence. */
static inline void check_refused(const struct test_pack *pack, const char *field, const char *value)
{
    CHECK_EQ(open_exact(pack->data, pack->bytes, NULL), MXG_ERROR_PACK);
    CHECK_HAS(mxg_last_error(), field);
    CHECK_HAS(mxg_last_error(), value);
    CHECK_EQ(mxg_last_hip_error(), 0);
}

/* Two measured sources and the model; the rows at m = 16 to 18 have times of it. */
static inline struct test_pack timed_pack(void)
{
    struct test_pack pack = make_timed_pack(2, 3, 3);
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t variant = 0; variant < 2; variant++) pack_set_ns(&pack, row, variant, 5000 + row);
    return pack;
}

#endif
