/* The emulator's decoder on what comgr's assembler makes of its own disassembly: each instruction has to decode to its
 * text again. */
#include "tests/emu/effects.h"
#include "tests/isa/assemble.h"
#include "tests/isa/decode_cases.h"
#include "tests/test.h"

enum { TEXT_BYTES = 32 << 20, LINE_BYTES = 256 };

static char *text; /* one instruction a line */
static size_t used;
static unsigned lines;

static int collect(const struct encoding *e, uint32_t opcode, const uint32_t words[MOST_DWORDS])
{
    struct listing l;
    (void)e, (void)opcode;
    if (!their_length(words, &l)) return 0;
    if (used + LINE_BYTES < TEXT_BYTES && !is_exempt(l.line)) {
        used += (size_t)snprintf(text + used, TEXT_BYTES - used, "%.250s\n", l.line);
        lines++;
    }
    return 1;
}

/* Blanks the lines that the assembler names in its log: "test.s:LINE:COLUMN: error: ...". Returns how many. */
static unsigned blank_errors(const char *log)
{
    unsigned blanked = 0, at_line = 1;
    char *at = text;
    for (const char *error = strstr(log, "test.s:"); error; error = strstr(error + 1, "test.s:")) {
        unsigned line = (unsigned)strtoul(error + strlen("test.s:"), NULL, 10);
        if (line < at_line) continue;
        while (at_line < line && *at) at_line += *at++ == '\n';
        for (; *at && *at != '\n'; at++) *at = ' ';
        blanked++;
    }
    return blanked;
}

/* The machine code; NULL: some lines are refused and now blank. */
static unsigned char *try_to_assemble(size_t *bytes, unsigned *refused)
{
    unsigned char *code = NULL;
    char *log = NULL;
    amd_comgr_data_set_t relocatable = assemble_relocatable(text, &log);
    if (log) {
        *refused += blank_errors(log);
        free(log);
    } else {
        code = assemble_code(relocatable, bytes);
    }
    ASSEMBLE_TRY(amd_comgr_destroy_data_set(relocatable));
    return code;
}

/* The next line that is not blank, without its end; NULL: no more. */
static char *next_line(char **at)
{
    while (**at) {
        char *line = *at, *end = strchr(line, '\n');
        *at = end + 1;
        *end = 0;
        if (line[strspn(line, " ")]) return line;
    }
    return NULL;
}

/* Of several encodings with one meaning the assembler chooses one, which may have a text of its own (ds_swizzle). */
static int is_their_text(const unsigned char *code, size_t bytes, const char *ours)
{
    struct listing l;
    uint32_t words[MOST_DWORDS] = {0};
    memcpy(words, code, bytes < sizeof words ? bytes : sizeof words);
    return their_length(words, &l) && strcmp(l.line, ours) == 0;
}

static void decode_all(const unsigned char *code, size_t bytes, unsigned refused)
{
    unsigned agreed = 0, differing = 0;
    size_t offset = 0;
    char *at = text;
    for (char *line = next_line(&at); line; line = next_line(&at)) {
        struct insn i;
        char ours[512] = "(rejected)";
        unsigned length = insn_decode(code + offset, bytes - offset, &i);
        if (length) insn_text(&i, ADDRESS + offset, ours, sizeof ours);
        if (length && (strcmp(ours, line) == 0 || is_their_text(code + offset, bytes - offset, ours))) {
            agreed++;
        } else if (differing++ < 20) {
            test_fail(__FILE__, __LINE__, "\"%s\" is assembled and decoded as \"%s\"", line, ours);
        }
        if (!length) break;
        offset += length;
    }
    printf("# %u lines, of which the assembler refuses %u; %u decode to their text\n", lines, refused, agreed);
    CHECK_EQ(offset, bytes);
    CHECK(agreed > lines / 2);
}

static void disassembled_and_assembled(void)
{
    /* comgr assembles these but does not disassemble them. */
    static const char *const others[] = {"v_cmpx_lt_f32_e64 vcc, v1, v2", "v_cmpx_class_f64_e64 s[4:5], v[2:3], v4",
                                         "v_cmpx_ge_u64_e64 s[10:11], v[2:3], s[4:5]"};
    unsigned char *code = NULL;
    size_t bytes = 0;
    unsigned refused = 0;
    for (size_t n = 0; n < sizeof others / sizeof others[0]; n++, lines++)
        used += (size_t)snprintf(text + used, TEXT_BYTES - used, "%s\n", others[n]);
    for (size_t n = 0; n < sizeof encodings / sizeof encodings[0]; n++) visit_encoding(&encodings[n], collect);
    for (int tries = 0; tries < 8 && !code; tries++) code = try_to_assemble(&bytes, &refused);
    REQUIRE(code != NULL);
    decode_all(code, bytes, refused);
    free(code);
}

int main(void)
{
    text = malloc(TEXT_BYTES);
    if (!text) abort();
    comgr = listing_create();
    TEST(disassembled_and_assembled);
    amd_comgr_destroy_disassembly_info(comgr);
    free(text);
    return test_end();
}
