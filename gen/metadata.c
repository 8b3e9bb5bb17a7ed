#include "gen/metadata.h"

#include <stdlib.h>
#include <string.h>

int gen_metadata_open(const char *variant, const struct gen_text *object, amd_comgr_metadata_node_t *root)
{
    amd_comgr_data_t data = {0};
    root->handle = 0;
    int failed =
        gen_comgr_check(amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data), variant, "amd_comgr_create_data");
    if (failed) return -1;
    failed = gen_comgr_check(amd_comgr_set_data(data, object->bytes, object->data), variant, "amd_comgr_set_data") ||
             gen_comgr_check(amd_comgr_get_data_metadata(data, root), variant, "amd_comgr_get_data_metadata");
    if (gen_comgr_check(amd_comgr_release_data(data), variant, "amd_comgr_release_data") != 0) failed = 1;
    return failed ? -1 : 0;
}

void gen_metadata_close(amd_comgr_metadata_node_t node)
{
    if (node.handle) amd_comgr_destroy_metadata(node);
}

int gen_metadata_node(const char *variant, amd_comgr_metadata_node_t map, const char *key,
                      amd_comgr_metadata_node_t *node)
{
    amd_comgr_metadata_kind_t kind;
    node->handle = 0;
    if (gen_comgr_check(amd_comgr_get_metadata_kind(map, &kind), variant, "amd_comgr_get_metadata_kind") != 0)
        return -1;
    if (kind != AMD_COMGR_METADATA_KIND_MAP) return gen_error("%s: the metadata around %s is not a map", variant, key);
    /* Absence has no status of its own. */
    return amd_comgr_metadata_lookup(map, key, node) == AMD_COMGR_STATUS_SUCCESS ? 0 : 1;
}

int gen_metadata_string(const char *variant, amd_comgr_metadata_node_t map, const char *key, char *text, size_t room)
{
    amd_comgr_metadata_node_t node;
    size_t size = 0;
    int found = gen_metadata_node(variant, map, key, &node);
    if (found != 0) return found;
    int result = gen_comgr_check(amd_comgr_get_metadata_string(node, &size, NULL), variant, key);
    if (result == 0 && size > room) result = gen_error("%s: the metadata's %s is %zu bytes long", variant, key, size);
    if (result == 0) result = gen_comgr_check(amd_comgr_get_metadata_string(node, &size, text), variant, key);
    gen_metadata_close(node);
    return result;
}

int gen_metadata_number(const char *variant, amd_comgr_metadata_node_t map, const char *key, uint32_t *number)
{
    char text[24], *end;
    int found = gen_metadata_string(variant, map, key, text, sizeof text);
    if (found != 0) return found;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || value > UINT32_MAX)
        return gen_error("%s: the metadata's %s is \"%s\", not a 32-bit number", variant, key, text);
    *number = (uint32_t)value;
    return 0;
}
