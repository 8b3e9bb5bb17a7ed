#define _POSIX_C_SOURCE 200809L
#include "loader/choices.h"
#include "loader/select.h"
#include "loader/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- One line. ---- */

static const char first_line[] = MXG_CHOICES_FIRST_LINE, blanks[] = " \t";

/* Its fields in their order; the last two may be missing. */
enum place { PROCESSOR, CU_COUNT, M, N, K, A_FORMAT, C_FORMAT, B_LAYOUT, SCALE_LAYOUT, VARIANT, US, SOURCE, PLACES };
static const char *const place_names[PLACES] = {
    "processor", "cu_count",     "m",       "n",  "k",     "a_format", "c_format",
    "b_layout",  "scale_layout", "variant", "us", "source"};
enum { LEAST_FIELDS = US, LEAST_LINE = sizeof "p 1 1 1 32 bf16 f16 row row v\n" - 1 }; /* bytes: no choice has fewer */

enum { MOST_CU_COUNT = 65535, NS_A_US = 1000, DECIMALS = 3 };

struct reader {
    const mxg_library *library;
    struct mxg_choices *choices;
    const struct mxg_pack_entry **by_name;
    uint32_t line;
};

__attribute__((format(printf, 2, 3))) static mxg_status refuse(const struct reader *r, const char *format, ...)
{
    char sentence[768];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return mxg_fail(MXG_ERROR_CHOICES, "%s:%" PRIu32 ": %s", r->choices->name, r->line, sentence);
}

/* Decimal digits without a sign, a space or a zero before others. */
static bool parse_number(const char *text, size_t length, uint64_t highest, uint64_t *value)
{
    *value = 0;
    if (length == 0 || (length > 1 && text[0] == '0')) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        *value = 10 * *value + (uint64_t)(text[i] - '0');
        if (*value > highest) return false;
    }
    return true;
}

static mxg_status read_number(const struct reader *r, char **fields, enum place place, uint64_t lowest,
                              uint64_t highest, uint64_t *value)
{
    const char *text = fields[place];
    if (parse_number(text, strlen(text), highest, value) && *value >= lowest) return MXG_OK;
    return refuse(r, "%s is '%s', not a number within %" PRIu64 " to %" PRIu64, place_names[place], text, lowest,
                  highest);
}

/* Microseconds with up to three decimals, so whole nanoseconds. */
static mxg_status read_ns(const struct reader *r, const char *text, uint32_t *ns)
{
    const size_t length = strcspn(text, "."), decimals = text[length] ? strlen(text + length + 1) : 0;
    uint64_t us, fraction = 0;
    bool good = parse_number(text, length, MXG_PACK_HIGHEST_NS / NS_A_US, &us) &&
                (text[length] == 0 || (decimals >= 1 && decimals <= DECIMALS));
    for (size_t i = 1; good && i <= DECIMALS; i++) {
        const char digit = i <= decimals ? text[length + i] : '0';
        good = digit >= '0' && digit <= '9';
        fraction = 10 * fraction + (uint64_t)(digit - '0');
    }
    if (!good || us * NS_A_US + fraction < 1 || us * NS_A_US + fraction > MXG_PACK_HIGHEST_NS)
        return refuse(r, "us is '%s', not a time within 0.001 to %" PRIu32 " with up to %d decimals", text,
                      MXG_PACK_HIGHEST_NS / NS_A_US, DECIMALS);
    *ns = (uint32_t)(us * NS_A_US + fraction);
    return MXG_OK;
}

/* One of the names that are legal in a place, as the public header numbers them. */
static mxg_status read_name(const struct reader *r, char **fields, enum place place, uint64_t *value)
{
    static const struct {
        enum place place;
        int32_t value;
    } legal[] = {{A_FORMAT, MXG_FORMAT_BF16},     {A_FORMAT, MXG_FORMAT_MXFP4},   {C_FORMAT, MXG_FORMAT_BF16},
                 {C_FORMAT, MXG_FORMAT_F16},      {C_FORMAT, MXG_FORMAT_F32},     {B_LAYOUT, MXG_LAYOUT_ROW},
                 {B_LAYOUT, MXG_LAYOUT_SHUFFLED}, {SCALE_LAYOUT, MXG_LAYOUT_ROW}, {SCALE_LAYOUT, MXG_LAYOUT_SHUFFLED}};
    char expected[64] = "";
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++) {
        if (legal[i].place != place) continue;
        *value = (uint64_t)legal[i].value;
        const char *name = place < B_LAYOUT ? mxg_format_name((uint32_t)*value) : mxg_layout_name((uint32_t)*value);
        if (strcmp(fields[place], name) == 0) return MXG_OK;
        const size_t length = strlen(expected);
        (void)snprintf(expected + length, sizeof expected - length, "%s%s", length ? " or " : "", name);
    }
    return refuse(r, "%s is '%s', not %s", place_names[place], fields[place], expected);
}

static mxg_status read_word(const struct reader *r, char **fields, enum place place, const char *characters,
                            size_t most)
{
    const char *text = fields[place];
    const size_t length = strlen(text);
    if (length > most) return refuse(r, "%s is '%s', longer than %zu", place_names[place], text, most);
    if (strspn(text, characters) == length) return MXG_OK;
    return refuse(r, "%s is '%s', not of %s", place_names[place], text, characters);
}

static void make_key(uint64_t key[3], uint64_t m, uint64_t n, uint64_t k, uint64_t cu_count, uint64_t formats[4])
{
    key[0] = m << 32 | n;
    key[1] = k << 32 | cu_count;
    key[2] = formats[0] | formats[1] << 8 | formats[2] << 16 | formats[3] << 24;
}

/* What the problem must be that it is for. */
static mxg_status read_key(const struct reader *r, char **fields, uint64_t key[3])
{
    uint64_t cu_count = 0, m = 0, n = 0, k = 0, formats[4] = {0};
    mxg_status status = read_number(r, fields, CU_COUNT, 1, MOST_CU_COUNT, &cu_count);
    if (!status) status = read_number(r, fields, M, 1, INT32_MAX, &m);
    if (!status) status = read_number(r, fields, N, 1, INT32_MAX, &n);
    if (!status) status = read_number(r, fields, K, MXG_BLOCK, MXG_LARGEST_K, &k);
    if (!status && k % MXG_BLOCK != 0)
        status = refuse(r, "k is %" PRIu64 ": it must be a multiple of %d", k, MXG_BLOCK);
    for (int i = 0; !status && i < 4; i++) status = read_name(r, fields, (enum place)(A_FORMAT + i), &formats[i]);
    make_key(key, m, n, k, cu_count, formats);
    return status;
}

static int by_name(const void *a, const void *b)
{
    const struct mxg_pack_entry *const *left = a, *const *right = b;
    return strcmp((*left)->variant.name, (*right)->variant.name);
}

static uint32_t find_variant(const struct reader *r, const char *name)
{
    uint32_t low = 0, high = r->library->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(r->by_name[middle]->variant.name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->library->count || strcmp(r->by_name[low]->variant.name, name) != 0) return UINT32_MAX;
    return (uint32_t)(r->by_name[low] - r->library->entries);
}

static mxg_status read_choice(const struct reader *r, char **fields, uint32_t count)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    struct mxg_choice choice = {.line = r->line, .source = ""};
    if (count < LEAST_FIELDS)
        return refuse(r, "the line ends before its %s, which is field %" PRIu32, place_names[count], count + 1);
    mxg_status status = read_word(r, fields, PROCESSOR, small, MXG_PACK_ARCH_BYTES - 1);
    if (!status) status = read_key(r, fields, choice.key);
    if (!status) status = read_word(r, fields, VARIANT, small, MXG_VARIANT_NAME_BYTES - 1);
    if (!status && count > US) status = read_ns(r, fields[US], &choice.ns);
    if (!status && count > SOURCE)
        status = read_word(r, fields, SOURCE, MXG_PACK_SOURCE_CHARACTERS, MXG_PACK_SOURCE_BYTES - 1);
    if (status) return status;
    choice.processor = fields[PROCESSOR], choice.name = fields[VARIANT];
    if (count > SOURCE) choice.source = fields[SOURCE];
    choice.variant = find_variant(r, choice.name);
    r->choices->lines[r->choices->count++] = choice;
    return MXG_OK;
}

static mxg_status read_line(const struct reader *r, char *text, size_t length)
{
    char *fields[PLACES];
    uint32_t count = 0;
    if (length > MXG_CHOICES_MAX_LINE)
        return refuse(r, "the line has %zu bytes, more than %d", length, MXG_CHOICES_MAX_LINE);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) return refuse(r, "the line has the byte 0x%02x at %zu", c, i);
    }
    if (r->line == 1) {
        if (strcmp(text, first_line) == 0) return MXG_OK;
        return refuse(r, "the first line is not '%s'", first_line);
    }
    text[strcspn(text, "#")] = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        char *const field = text;
        text += strcspn(text, blanks);
        if (*text) *text++ = 0;
        if (count == PLACES) return refuse(r, "the line goes on after its %d fields with '%s'", PLACES, field);
        fields[count++] = field;
    }
    return count ? read_choice(r, fields, count) : MXG_OK;
}

/* ---- The file. ---- */

static int compare(const struct mxg_choice *a, const char *processor, const uint64_t key[3])
{
    int order = strcmp(a->processor, processor);
    for (int i = 0; order == 0 && i < 3; i++) order = a->key[i] < key[i] ? -1 : a->key[i] > key[i];
    return order;
}

static int by_key(const void *a, const void *b)
{
    const struct mxg_choice *left = a, *right = b;
    const int order = compare(left, right->processor, right->key);
    return order ? order : left->line < right->line ? -1 : 1;
}

static mxg_status sort_lines(struct reader *r)
{
    struct mxg_choices *choices = r->choices;
    qsort(choices->lines, choices->count, sizeof *choices->lines, by_key);
    for (uint32_t i = 1; i < choices->count; i++) {
        const struct mxg_choice *first = &choices->lines[i - 1], *again = &choices->lines[i];
        if (compare(first, again->processor, again->key) != 0) continue;
        r->line = again->line;
        return refuse(r, "the device and problem of line %" PRIu32 " again", first->line);
    }
    return MXG_OK;
}

/* Of variants that the pack does not have, unless it is for another processor. */
static void warn(const struct reader *r)
{
    for (uint32_t i = 0; i < r->choices->count; i++) {
        const struct mxg_choice *choice = &r->choices->lines[i];
        if (choice->variant == UINT32_MAX && strcmp(choice->processor, r->library->arch) == 0)
            mxg_log(&r->library->host, MXG_LOG_WARNING, "%s:%" PRIu32 ": this pack has no variant %s: ignored",
                    r->choices->name, choice->line, choice->name);
    }
}

/* Of choices->text, which has a byte of room after it. */
static mxg_status read_lines(struct reader *r, size_t bytes)
{
    char *text = r->choices->text, *const end = text + bytes;
    mxg_status status = MXG_OK;
    r->line = 1;
    if (bytes == 0) return refuse(r, "the first line is not '%s': the file is empty", first_line);
    for (; !status && text < end; r->line++) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) return refuse(r, "the line has no end: the file is not whole");
        *stop = 0;
        status = read_line(r, text, (size_t)(stop - text));
        text = stop + 1;
    }
    if (!status) status = sort_lines(r);
    if (!status) warn(r);
    return status;
}

/* Everything but the text, of which `bytes` are to come. */
static mxg_status make_choices(mxg_library *library, size_t bytes, const char *name)
{
    const struct mxg_host *host = &library->host;
    struct mxg_choices *made = library->choices = mxg_allocate(host, 1, sizeof *made);
    if (made) {
        made->name = mxg_allocate(host, strlen(name) + 1, 1);
        made->text = mxg_allocate(host, bytes + 1, 1);
        made->lines = mxg_allocate(host, bytes / LEAST_LINE, sizeof *made->lines);
    }
    if (!made || !made->name || !made->text || !made->lines) {
        mxg_choices_release(library);
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for the %zu bytes of choices in %s", bytes, name);
    }
    memcpy(made->name, name, strlen(name));
    return MXG_OK;
}

/* Of choices->text. */
static mxg_status parse(mxg_library *library, size_t bytes)
{
    struct reader r = {library, library->choices, NULL, 0};
    r.by_name = mxg_allocate(&library->host, library->count, sizeof *r.by_name);
    mxg_status status = MXG_OK;
    if (!r.by_name) status = mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory to read choices in %s", r.choices->name);
    if (!status) {
        for (uint32_t i = 0; i < library->count; i++) r.by_name[i] = &library->entries[i];
        qsort(r.by_name, library->count, sizeof *r.by_name, by_name);
        status = read_lines(&r, bytes);
    }
    mxg_release(&library->host, r.by_name);
    if (status) mxg_choices_release(library);
    return status;
}

static mxg_status check_bytes(uint64_t bytes, const char *name)
{
    if (bytes <= MXG_CHOICES_MAX_BYTES) return MXG_OK;
    return mxg_fail(MXG_ERROR_CHOICES, "%s: it has %" PRIu64 " bytes, more than %d", name, bytes,
                    MXG_CHOICES_MAX_BYTES);
}

mxg_status mxg_choices_parse(mxg_library *library, const char *text, size_t bytes, const char *name)
{
    mxg_status status = check_bytes(bytes, name);
    if (!status) status = make_choices(library, bytes, name);
    if (status) return status;
    if (bytes) memcpy(library->choices->text, text, bytes);
    return parse(library, bytes);
}

static mxg_status read_text(int file, const char *path, char *text, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = read(file, text + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return mxg_fail(MXG_ERROR_FILE, "cannot read choices %s: %s", path, strerror(errno));
        if (got == 0) return mxg_fail(MXG_ERROR_FILE, "choices %s became shorter while they were read", path);
        done += (size_t)got;
    }
    return MXG_OK;
}

static mxg_status read_file(mxg_library *library, const char *path, int file)
{
    struct stat about;
    if (fstat(file, &about) != 0) return mxg_fail(MXG_ERROR_FILE, "cannot read choices %s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return mxg_fail(MXG_ERROR_FILE, "choices %s is not a file", path);
    mxg_status status = check_bytes((uint64_t)about.st_size, path);
    if (!status) status = make_choices(library, (size_t)about.st_size, path);
    if (status) return status;
    status = read_text(file, path, library->choices->text, (size_t)about.st_size);
    if (!status) return parse(library, (size_t)about.st_size);
    mxg_choices_release(library);
    return status;
}

mxg_status mxg_choices_read(mxg_library *library, const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* or a FIFO would wait for its writer */
    if (file < 0) return mxg_fail(MXG_ERROR_FILE, "cannot open choices %s: %s", path, strerror(errno));
    mxg_status status = read_file(library, path, file);
    (void)close(file); /* read only: nothing can be lost */
    return status;
}

void mxg_choices_release(mxg_library *library)
{
    struct mxg_choices *choices = library->choices;
    if (!choices) return;
    mxg_release(&library->host, choices->name);
    mxg_release(&library->host, choices->text);
    mxg_release(&library->host, choices->lines);
    mxg_release(&library->host, choices);
    library->choices = NULL;
}

const struct mxg_choice *mxg_choices_find(const mxg_library *library, const mxg_problem *p, const mxg_device *device)
{
    const struct mxg_choices *choices = library->choices;
    if (!choices || p->variant || p->split) return NULL;
    uint64_t key[3],
        formats[4] = {(uint64_t)p->a_format, (uint64_t)p->c_format, (uint64_t)p->b_layout, (uint64_t)p->scale_layout};
    make_key(key, (uint64_t)p->m, (uint64_t)p->n, (uint64_t)p->k, device->cu_count, formats);
    uint32_t low = 0, high = choices->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare(&choices->lines[middle], library->arch, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == choices->count || compare(&choices->lines[low], library->arch, key) != 0) return NULL;
    return choices->lines[low].variant == UINT32_MAX ? NULL : &choices->lines[low];
}
