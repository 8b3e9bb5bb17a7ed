/* The metadata note of a code object, through comgr: maps, lists and strings. */
#ifndef MXG_GEN_METADATA_H
#define MXG_GEN_METADATA_H

#include "gen/comgr.h"

#include <stdint.h>

/* Reads the note. The node must be released with gen_metadata_close in any case. */
int gen_metadata_open(const char *variant, const struct gen_text *object, amd_comgr_metadata_node_t *root);
void gen_metadata_close(amd_comgr_metadata_node_t node);

/* Entries of a map. 0 found, 1 absent, -1 failed (reported); `node` must be closed when found. */
int gen_metadata_node(const char *variant, amd_comgr_metadata_node_t map, const char *key,
                      amd_comgr_metadata_node_t *node);
int gen_metadata_string(const char *variant, amd_comgr_metadata_node_t map, const char *key, char *text, size_t room);
int gen_metadata_number(const char *variant, amd_comgr_metadata_node_t map, const char *key, uint32_t *number);

#endif
