#define _GNU_SOURCE
#include "tests/gemm/session.h"
#include "tests/gemm/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int session_open(struct session *s, const struct options *options, struct tally *tally)
{
    mxg_options how = MXG_OPTIONS_INIT;
    how.hip_path = options->hip_path;
    *s = (struct session){.options = options, .tally = tally};
    if (device_open(options->hip_path)) return -1;
    mxg_status status = options->pack ? mxg_library_open_file(options->pack, &s->library)
                                      : mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &s->library);
    if (status == MXG_OK && mxg_context_create(s->library, &how, &s->context) == MXG_OK) {
        if (session_variants(s) <= MAX_VARIANTS) return 0;
        fprintf(stderr, "the pack has %u variants, above %d\n", session_variants(s), MAX_VARIANTS);
        return -1;
    }
    fprintf(stderr, "%s\n", mxg_last_error());
    return -1;
}

void session_close(struct session *s)
{
    if (mxg_context_destroy(s->context)) fprintf(stderr, "%s\n", mxg_last_error());
    mxg_library_close(s->library);
}

int session_wants(const struct session *s, const char *name)
{
    return !s->options->only || strstr(name, s->options->only) != NULL;
}

/* In one write: lines of several workers do not mix. */
void session_report(struct session *s, int right, const char *name, const char *why)
{
    char line[1024];
    unsigned number = atomic_fetch_add(right ? &s->tally->passed : &s->tally->failed, 1u) + 1;
    number += atomic_load(right ? &s->tally->failed : &s->tally->passed);
    int length = snprintf(line, sizeof line, "%s %u - %s%s%.500s\n", right ? "ok" : "not ok", number, name,
                          right ? "" : ": ", right ? "" : why);
    if (write(STDOUT_FILENO, line, (size_t)length) != length) _exit(1);
}

uint32_t session_variants(const struct session *s)
{
    return mxg_library_variant_count(s->library);
}

void session_variant(const struct session *s, uint32_t variant, mxg_variant_info *info)
{
    *info = (mxg_variant_info){.struct_bytes = sizeof *info};
    if (mxg_library_variant(s->library, variant, info)) abort();
}

uint32_t session_find(const struct session *s, const char *name)
{
    const uint32_t variants = session_variants(s);
    mxg_variant_info info;
    uint32_t n = 0;
    while (n < variants && (session_variant(s, n, &info), strcmp(info.name, name) != 0)) n++;
    return n;
}

int session_takes(const struct session *s, uint32_t variant, struct gemm_case *c)
{
    mxg_variant_info info;
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    session_variant(s, variant, &info);
    if (info.kind != 0) return 0;
    c->variant = info.name;
    c->c_format = (enum oracle_format)info.c_format;
    mxg_problem problem = gemm_case_problem(c);
    return mxg_library_explain(s->library, &problem, NULL, variant, &candidate) == MXG_OK && candidate.accepted;
}

void session_run(struct session *s, const char *what, const struct gemm_case *c)
{
    enum { RUNS = 2 };
    char name[64 + GEMM_CASE_NAME_BYTES], why[512] = "";
    snprintf(name, sizeof name, "%.60s: ", what);
    gemm_case_name(c, name + strlen(name));
    if (!session_wants(s, name)) return;
    if (c->variant && session_find(s, c->variant) < session_variants(s))
        atomic_fetch_add(&s->tally->ran[session_find(s, c->variant)], 1u);
    session_report(s, gemm_case_run(s->context, c, RUNS, NULL, why), name, why);
}
