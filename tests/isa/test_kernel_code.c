/* What mxgen says of a kernel's code, against the emulator: of each instruction of all objects the class, the length
 * and where a branch goes, by its decoder; of main loops that the work is really done there and moves what they say, by
 * executing kernels. */
#include "gen/io.h"
#include "gen/kernel_code.h"
#include "loader/pack.h"
#include "tests/bench/bench.h"
#include "tests/emu/effects.h"
#include "tests/emu/object.h"
#include "tests/test.h"

#include <glob.h>
#include <stdlib.h>

/* The classes that the instructions of a unit may have. */
static const unsigned classes_of[UNIT_COUNT] = {
    [UNIT_SALU] = 1u << GEN_CLASS_SALU,
    [UNIT_BRANCH] = 1u << GEN_CLASS_BRANCH,
    [UNIT_WAIT] = 1u << GEN_CLASS_WAIT | 1u << GEN_CLASS_BARRIER | 1u << GEN_CLASS_OTHER,
    [UNIT_VALU] = 1u << GEN_CLASS_VALU,
    [UNIT_TRANS] = 1u << GEN_CLASS_VALU,
    [UNIT_MFMA] = 1u << GEN_CLASS_MFMA,
    [UNIT_SMEM] = 1u << GEN_CLASS_SMEM,
    [UNIT_LDS] = 1u << GEN_CLASS_LDS,
    [UNIT_VMEM] = 1u << GEN_CLASS_VMEM,
};

/* Of SOPP, whose classes the unit does not tell apart. */
static enum gen_class class_of_sopp(const char *mnemonic)
{
    if (strcmp(mnemonic, "s_waitcnt") == 0) return GEN_CLASS_WAIT;
    return strcmp(mnemonic, "s_barrier") == 0 ? GEN_CLASS_BARRIER : GEN_CLASS_OTHER;
}

static unsigned long compared;

static bool same_instruction(const struct gen_instruction *ours, const unsigned char *bytes, size_t room)
{
    struct insn insn;
    struct effects effects;
    char mnemonic[64];
    if (insn_decode(bytes, room, &insn) != ours->bytes) return false;
    insn_effects(&insn, &effects);
    insn_mnemonic(&insn, mnemonic);
    compared++;
    if (!(classes_of[effects.unit] >> ours->class & 1)) return false;
    if (effects.unit == UNIT_WAIT && ours->class != class_of_sopp(mnemonic)) return false;
    const struct gen_traffic *moves = &ours->traffic;
    const bool reads = effects.flags & READS_MEMORY, writes = effects.flags & WRITES_MEMORY;
    return reads == (moves->loaded + moves->scalar_loaded > 0) && writes == (moves->stored > 0) &&
           !(effects.flags & READS_LDS) == !moves->lds_read && !(effects.flags & WRITES_LDS) == !moves->lds_written;
}

static void compare_kernel(const struct emu_kernel *kernel, const struct gen_text *image)
{
    const struct code *text = &kernel->object->code;
    struct gen_kernel_code code;
    REQUIRE(gen_kernel_code_read(image, kernel->name, &code) == 0);
    CHECK_EQ(code.disassembly.unknown, 0);
    uint64_t at = kernel->entry;
    for (size_t i = 0; i < code.disassembly.count; i++) {
        const struct gen_instruction *ours = &code.disassembly.all[i];
        const uint64_t offset = at - text->address;
        if (!same_instruction(ours, text->text + offset, text->bytes - offset))
            test_fail(__FILE__, __LINE__, "%s+0x%llx: %s, of %u bytes and the class %s", kernel->name,
                      (unsigned long long)(at - kernel->entry), ours->text, ours->bytes, gen_class_names[ours->class]);
        CHECK_EQ(at - kernel->entry, ours->address - code.disassembly.all[0].address);
        at += ours->bytes;
    }
    CHECK_EQ(at - kernel->entry, kernel->code_bytes);
    gen_kernel_code_free(&code);
}

static void classes_are_the_emulators(void)
{
    glob_t files;
    REQUIRE(glob("out/gfx950/*.hsaco", 0, NULL, &files) == 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        struct gen_text image = {0};
        struct emu *emu = emu_create(0);
        struct emu_object *object;
        REQUIRE(emu && gen_read_file(files.gl_pathv[f], &image) == 0);
        REQUIRE(emu_object_load(emu, image.data, image.bytes, &object, NULL) == 0);
        for (size_t n = 0; n < emu_object_kernel_count(object); n++)
            compare_kernel(emu_object_kernel_at(object, n), &image);
        emu_object_unload(object);
        emu_destroy(emu);
        gen_text_free(&image);
    }
    printf("# %lu instructions of %zu objects\n", compared, files.gl_pathc);
    globfree(&files);
}

/* ---- loops
 * ---------------------------------------------------------------------------------------------------------*/

/* What a launch did, of all instructions or of those of the main loop. */
struct done {
    uint64_t instructions, mfmas, loaded, stored, scalar_loaded, lds_read, lds_written;
};

static void add(struct done *done, const struct emu_pc *pc)
{
    const struct emu_traffic(*traffic)[EMU_ACCESSES] = pc->memory.traffic;
    done->instructions += pc->executed;
    done->mfmas += pc->mfma_passes ? pc->executed : 0;
    done->loaded += traffic[EMU_GLOBAL][EMU_LOAD].bytes;
    done->stored += traffic[EMU_GLOBAL][EMU_STORE].bytes;
    done->scalar_loaded += traffic[EMU_SCALAR][EMU_LOAD].bytes;
    done->lds_read += traffic[EMU_LDS][EMU_LOAD].bytes;
    done->lds_written += traffic[EMU_LDS][EMU_STORE].bytes;
}

static void sum(const struct emu_stats *stats, const struct gen_kernel_code *code, struct done *all, struct done *loop)
{
    const struct gen_disassembly *list = &code->disassembly;
    *all = *loop = (struct done){0};
    for (size_t n = 0; n < stats->pc_count; n++) {
        const uint64_t address = list->all[0].address + (uint64_t)stats->pcs[n].offset;
        const size_t i = gen_instruction_at(list->all, list->count, address);
        add(all, &stats->pcs[n]);
        if (i == list->count)
            test_fail(__FILE__, __LINE__, "no instruction at %llx", (unsigned long long)address);
        else if (gen_loop_has(&code->loops, code->main_loop, i))
            add(loop, &stats->pcs[n]);
    }
}

enum { MOST_OF_IT = 70, ALMOST_ALL = 95 }; /* percent */

/* exact: of so many turns that each are `turn`. Else there may be less, by as much as `least` percent. */
static void check_moved(const char *name, const char *what, uint64_t done, uint64_t turns, uint32_t turn,
                        unsigned least)
{
    if (done > turns * turn || done * 100 < turns * turn * least)
        test_fail(__FILE__, __LINE__, "%s: %llu %s in %llu turns of %u each", name, (unsigned long long)done, what,
                  (unsigned long long)turns, turn);
}

/* Most MFMAs are the main loop's. In a loop with one branch, its own, every turn executes every instruction with all
 * lanes, but for loads beyond the end of K. In one with more, which skip what is not there, it does at most that. */
static void check_loop(const char *name, const struct gen_kernel_code *code, const struct emu_stats *stats)
{
    const struct gen_tally *turn = &code->loops.all[code->main_loop].code;
    struct done all, loop;
    sum(stats, code, &all, &loop);
    if (loop.mfmas * 100 < all.mfmas * MOST_OF_IT)
        test_fail(__FILE__, __LINE__, "%s: %llu of %llu MFMAs are the main loop's", name,
                  (unsigned long long)loop.mfmas, (unsigned long long)all.mfmas);
    const int whole = turn->classes[GEN_CLASS_BRANCH] == 1;
    const uint64_t turns = loop.mfmas / turn->classes[GEN_CLASS_MFMA];
    CHECK_EQ(loop.mfmas % turn->classes[GEN_CLASS_MFMA], 0);
    check_moved(name, "instructions", loop.instructions, turns, turn->instructions, whole ? 100 : 1);
    check_moved(name, "bytes loaded", loop.loaded, turns, turn->traffic.loaded, whole ? ALMOST_ALL : 1);
    check_moved(name, "bytes stored", loop.stored, turns, turn->traffic.stored, whole ? 100 : 0);
    check_moved(name, "bytes of scalar loads", loop.scalar_loaded, turns, turn->traffic.scalar_loaded, whole ? 100 : 0);
    check_moved(name, "bytes read of LDS", loop.lds_read, turns, turn->traffic.lds_read, whole ? 100 : 1);
    check_moved(name, "bytes written to LDS", loop.lds_written, turns, turn->traffic.lds_written, whole ? 100 : 1);
}

/* One tile of the variant with a K of so many steps for each slice that a loop has many turns. */
static void run_variant(const struct mxg_pack_entry *entry)
{
    enum { SLICE_STEPS = 64 };
    const struct mxg_variant *v = &entry->variant;
    mxg_problem problem = MXG_PROBLEM_INIT;
    struct gen_text path = {0}, image = {0};
    struct gen_kernel_code code;
    struct emu_error error;
    struct emu_stats stats;
    struct work work;
    problem.m = v->tile_m, problem.n = v->tile_n, problem.k = MXG_K_STEP * SLICE_STEPS * (int64_t)v->split;
    problem.a_format = (int32_t)v->a_format, problem.c_format = (int32_t)v->c_format;
    problem.b_layout = problem.scale_layout = MXG_LAYOUT_SHUFFLED;
    variant_work(&work, entry, &problem, WORK_BLANK);
    work.launch[0].count = 1;
    if (emu_launch(work.emu, &work.launch[0], &stats, &error)) bench_fail("%s: %s", work.name, error.text);
    gen_text_print(&path, "out/gfx950/%s.hsaco", v->name);
    REQUIRE(gen_read_file(path.data, &image) == 0 && gen_kernel_code_read(&image, v->name, &code) == 0);
    REQUIRE(code.main_loop != GEN_NO_LOOP);
    check_loop(v->name, &code, &stats);
    gen_kernel_code_free(&code);
    gen_text_free(&path), gen_text_free(&image);
    emu_stats_free(&stats);
    work_end(&work);
}

static void main_loops_do_the_work(void)
{
    mxg_library *library;
    REQUIRE(mxg_library_open_gfx950(&library) == MXG_OK);
    for (uint32_t i = 0; i < library->count; i++) {
        const struct mxg_variant *v = &library->entries[i].variant;
        if (v->kind == MXG_KIND_GEMM && v->c_format == MXG_ELEMENT_BF16) run_variant(&library->entries[i]);
    }
    mxg_library_close(library);
}

int main(void)
{
    TEST(classes_are_the_emulators);
    TEST(main_loops_do_the_work);
    return test_end();
}
