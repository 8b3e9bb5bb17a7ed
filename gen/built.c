#include "gen/built.h"

#include "gen/io.h"
#include "gen/machine.h"

#include <errno.h>
#include <string.h>

int gen_built_read(const char *out, const struct gen_row *row, struct gen_product *product)
{
    struct gen_text path = {0};
    *product = (struct gen_product){.row = row};
    gen_text_print(&path, "%s/" GEN_ARCH "/%s.hsaco", out, row->name);
    int result = gen_read_file(path.data, &product->object);
    if (result != 0 && errno == ENOENT)
        gen_error("%s is not built, there is no %s; run make gen, or mxgen build with this table", row->name,
                  path.data);
    else if (result != 0)
        gen_error("cannot read %s: %s", path.data, strerror(errno));
    if (result == 0) result = gen_inspect(row, &product->object, &product->facts);
    if (result == 0) {
        mxg_sha256(product->object.data, product->object.bytes, product->sha256);
        gen_product_record(product);
    }
    gen_text_free(&path);
    return result;
}
