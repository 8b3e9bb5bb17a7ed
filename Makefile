# mxgemm. `make help` lists the targets; `make` is `make gen`.
#
# B is where the host programs go; `make sanitize` builds them a second time in a directory of its own. The generator
# and what it makes are always in out/. No path here is absolute, so the directory's name may hold spaces.
.DEFAULT_GOAL := gen
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

B := out
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# The emulator is a test tool that runs where it is built: it may use all vector instructions of this machine's
# processor, if the compiler knows how. Results do not depend on them. EMU_MARCH= builds it for any machine.
EMU_MARCH ?= native
C_FLAGS := -std=c11 -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off -fPIC -fvisibility=hidden -I.
# ZSTD=1: the library reads packs whose code objects are compressed, and COMPRESS=1 makes this build's pack one.
C_FLAGS += $(if $(filter 1,$(ZSTD)),-DMXG_ZSTD)

# How many jobs were asked for, for programs that spread their work over processes.
jobs = $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS)))

# Tags instead of commands, unless V=1.
tag = $(if $(V),,@printf '  %-7s %s\n' $(1) '$(2)' &&)

# ---------------------------------------------------------------------------------------------- what there is ----

objects = $(patsubst %,$(B)/obj/%.o,$(basename $(wildcard $(1))))
programs = $(patsubst tests/%.c,$(B)/test/%,$(wildcard $(1)))

# What the loader and the programs share; the emulator reads metadata by one of them.
SHARED := $(call objects,common/sha256*.c common/msgpack.c common/arguments.c)
OUTPUT := $(call objects,common/output.c)
PACK_WRITE := $(call objects,common/pack_write.c)
RANDOM := $(call objects,common/random.c)
COMMON := $(SHARED) $(OUTPUT) $(PACK_WRITE)
GEN := $(call objects,gen/*.c gen/*.S)
LOADER := $(call objects,loader/*.c)
PACKED := $(call objects,loader/pack_gfx950.S)
CLI := $(call objects,loader/cli/*.c)
EMU := $(call objects,tests/emu/*.c tests/emu/check/*.c tests/emu/time/*.c)
MSGPACK := $(call objects,common/msgpack.c)
EMU_CLI := $(call objects,tests/emu/cli/*.c)
EMU_HIP := $(call objects,tests/emu/hip/*.c)
UNIT := $(call programs,tests/unit/*.c)
ISA := $(call programs,tests/isa/*.c)
GEMM := $(call objects,tests/gemm/*.c)
DATA := $(call objects,tests/gemm/oracle.c tests/gemm/data.c)
BENCH := $(call objects,tests/bench/*.c) $(RANDOM)
# All but emu_speed's own.
BENCH_SHARED := $(filter-out %/emu_speed.o %/profile.o,$(BENCH))
PROBLEMS := $(call objects,tests/bench/problems/*.c)
TUNE := $(call objects,tests/bench/tune/*.c loader/cli/timer.c)
CALIBRATE := $(call objects,tests/bench/calibrate/*.c)
WEIGHTS := $(call objects,tests/bench/weights/*.c)
FUZZ := $(call objects,tests/fuzz/*.c)
# Parsers of what comes from outside; each links with FUZZ_DRIVER, or with libFuzzer (tests/fuzz/parse/fuzz.sh).
PARSERS := $(patsubst tests/fuzz/parse/fuzz_%.c,%,$(wildcard tests/fuzz/parse/fuzz_*.c))
FUZZ_DRIVER := $(call objects,tests/fuzz/parse/driver.c tests/fuzz/parse/mutate.c)
FUZZERS := $(PARSERS:%=$(B)/test/fuzz/fuzz_%)
BENCH_LOADER := $(call objects,tests/bench/loader/*.c)

MXGEN := out/bin/mxgen
PACK := out/mxgemm-gfx950.mxpack
LIBGEN := $(B)/obj/libgen.a
LIBMXGEMM := $(B)/lib/libmxgemm.a
LIBMXGEMM_SO := $(B)/lib/libmxgemm.so
LIBPACK := $(B)/lib/libmxgemm_gfx950.a
LIBPACK_SO := $(B)/lib/libmxgemm_gfx950.so
LIBEMU := $(B)/lib/emu/libmxemu.a
HIP_EMU := $(B)/lib/emu/libamdhip64.so
MXGEMM := $(if $(CLI),$(B)/bin/mxgemm)
MXEMU := $(if $(EMU_CLI),$(B)/bin/mxemu)
LIBRARIES := $(LIBMXGEMM) $(LIBMXGEMM_SO) $(LIBPACK) $(LIBPACK_SO) $(B)/include/mxgemm.h
EMULATED := $(MXEMU) $(if $(EMU_HIP),$(HIP_EMU))
TESTED := $(UNIT) $(ISA) $(if $(GEMM),$(B)/test/gemm) $(B)/test/fuzz/corrupt_object \
    $(FUZZERS) $(addprefix $(B)/test/bench/,problems tune calibrate loader) $(MXGEMM) $(EMULATED)
VERSION := $(shell awk '/^.define MXG_VERSION_(MAJOR|MINOR|PATCH)/ {v = v d $$3; d = "."} END {print v}' \
    loader/mxgemm.h)
# What of the version the SONAME carries: before 1.0 a minor version may change the ABI, from then on a major one.
ABI := $(if $(filter 0.%,$(VERSION)),$(basename $(VERSION)),$(firstword $(subst ., ,$(VERSION))))

# -------------------------------------------------------------------------- the compiler of kernels, and flags ----

# A key file is rewritten when what it holds is no longer so; what depends on it is then made again.
ifneq ($(filter-out help uninstall clean distclean,$(or $(MAKECMDGOALS),gen)),)
$(shell mkdir -p out $(B))
# Another B uses what out was built with, whatever its own compiler is.
ifeq ($(B),out)
TOOLCHAIN_KEY := $(MXG_TOOLCHAIN),$(ROCM_PATH),$(MXG_SUITE),$(CC),$(MXG_LIBRARIES)
ifneq ($(file <out/toolchain.key),$(TOOLCHAIN_KEY))
$(file >out/toolchain.key,$(TOOLCHAIN_KEY))
endif
endif
EMU_ISA := $(shell $(CC) -march=$(EMU_MARCH) -dM -E -x c /dev/null 2>/dev/null | cksum)
EMU_VECTORS := $(if $(filter-out 0,$(lastword $(EMU_ISA))),-march=$(EMU_MARCH))
C_LIBRARIES := jansson $(if $(filter 1,$(ZSTD)),zstd)
include out/toolchain.mk $(C_LIBRARIES:%=out/%.mk)
BENCH_KEY := $(MXG_ORIGIN),$(MXG_AITER)
ifneq ($(file <out/bench.key),$(BENCH_KEY))
$(file >out/bench.key,$(BENCH_KEY))
endif
FLAGS_KEY := $(CC) $(C_FLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(JANSSON_LIBS) $(ZSTD_CFLAGS) $(ZSTD_LIBS) $(VERSION) \
    $(EMU_ISA)
ifneq ($(file <$(B)/flags.key),$(FLAGS_KEY))
$(file >$(B)/flags.key,$(FLAGS_KEY))
endif
COMGR_KEY := $(HIP_CFLAGS) $(COMGR_CFLAGS) $(COMGR_LIBS)
ifneq ($(file <$(B)/comgr.key),$(COMGR_KEY))
$(file >$(B)/comgr.key,$(COMGR_KEY))
endif
endif

out/toolchain.mk: gen/toolchain.sh gen/private_apt.sh out/toolchain.key \
    $(if $(RUN_COMGR),$(if $(wildcard $(firstword $(RUN_COMGR))),,FORCE))
	@CC='$(CC)' sh gen/toolchain.sh

# One after the other, so that two do not fetch at once. Packages that were fetched and are gone are fetched again.
missing_archives = $(foreach archive,$(filter out/%,$(JANSSON_LIBS) $(ZSTD_LIBS)),$(if $(wildcard $(archive)),,FORCE))
$(C_LIBRARIES:%=out/%.mk): out/%.mk: gen/library.sh gen/private_apt.sh out/toolchain.key $(missing_archives) | \
    out/toolchain.mk
	@CC='$(CC)' sh gen/library.sh $*
out/zstd.mk: | out/jansson.mk

%.key: ;

# --------------------------------------------------------------------------------------------- compile and link ----

# PWD, not the real path, is what compilers record; without it the same source gives the same object anywhere.
COMPILE = $(CC) $(C_FLAGS) $(ZSTD_CFLAGS) -ffile-prefix-map="$$PWD=." $(CPPFLAGS) $(CFLAGS) $(EXTRA) -MMD -MP
archive = $(call tag,AR,$@)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
link = $(call tag,LINK,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

$(B)/obj/%.o: %.c $(B)/flags.key Makefile
	@mkdir -p $(@D)
	$(call tag,CC,$<)$(COMPILE) -c -o $@ $<

# The library is to be small. These are where time goes: launching, choosing, hashing, converting weights.
HOT := $(patsubst %,$(B)/obj/%.o,$(addprefix loader/,plan select predict log2 weights_avx2 weights_work) \
    common/sha256_x86)
$(filter-out $(HOT),$(LOADER) $(SHARED)): EXTRA = $(if $(findstring -O2,$(CFLAGS)),-Os)
$(GEN): EXTRA = $(COMGR_CFLAGS) $(JANSSON_CFLAGS)
# What includes comgr's or HIP's headers, or links them: another compiler of kernels leaves all else as it is.
$(GEN) $(EMU_HIP) $(call objects,tests/isa/*.c tests/unit/test_hip_*.c): $(B)/comgr.key
VERSION_TEXT := -DMXG_VERSION_TEXT='"$(VERSION)"'
$(B)/obj/gen/main.o $(B)/obj/gen/manifest.o: EXTRA = $(COMGR_CFLAGS) $(VERSION_TEXT)
$(B)/obj/tests/emu/cli/mxemu.o: EXTRA = $(VERSION_TEXT)
$(EMU): EXTRA = -O3 $(EMU_VECTORS) -fno-trapping-math -fno-math-errno -fno-strict-aliasing -Wno-unused-parameter
$(GEMM): EXTRA = -O3
$(EMU_HIP): EXTRA = $(HIP_CFLAGS)
$(call objects,tests/isa/*.c): EXTRA = $(COMGR_CFLAGS)
$(call objects,tests/unit/test_hip_*.c): EXTRA = $(HIP_CFLAGS)

# ------------------------------------------------------------------------------------- the generator and its work ----

$(B)/obj/gen/report_parts.o: gen/report_parts.S gen/report.html gen/report.css gen/report.js $(B)/flags.key
	@mkdir -p $(@D)
	$(call tag,AS,$<)$(CC) -I. $(CPPFLAGS) -c -o $@ $<

$(LIBGEN): $(filter-out %/main.o,$(GEN)) $(COMMON)
	$(archive)

ifeq ($(B),out)
out/libexec/mxgen: LIBS = $(COMGR_LIBS) $(ZSTD_LIBS) $(JANSSON_LIBS) -lm
out/libexec/mxgen: out/obj/gen/main.o $(LIBGEN)
	@mkdir -p $(@D)
	$(link)

$(MXGEN): gen/mxgen.sh.in out/libexec/mxgen out/toolchain.mk
	@mkdir -p $(@D)
	$(call tag,GEN,$@)sed 's|@RUN@|$(patsubst out/%,"$$top/out/%",$(RUN_COMGR))|' $< > $@ && chmod +x $@

# Of other variants than those that gen/gemm.tuning is for mxgen does not say which have no times.
VARIANTS := gen/gemm.variants
ONLY :=
MXGEN_OPTIONS = --table '$(VARIANTS)' $(if $(ONLY),--only '$(ONLY)') --tuning gen/gemm.tuning --templates templates \
    --out out $(if $(filter 1,$(COMPRESS)),--compress) $(addprefix -j,$(jobs))
# A + opens make's jobserver to a recipe, but also has it run by make -n, which is only to show it.
with_jobserver = $(if $(strip $(foreach flag,n q t,$(findstring $(flag),$(firstword -$(MAKEFLAGS))))),,+)

# mxgen itself knows what is out of date; it leaves the pack alone when nothing in it changed.
$(PACK): $(MXGEN) FORCE
	$(with_jobserver)@$(MXGEN) build $(MXGEN_OPTIONS) $(if $(ONLY)$(filter-out file,$(origin VARIANTS)),--no-hints)
endif

# ----------------------------------------------------------------------------------------- loader and its command ----

$(LIBMXGEMM): $(LOADER) $(SHARED)
	@mkdir -p $(@D)
	$(archive)

# What a static libmxgemm needs beside libc; the first two before glibc 2.34.
LOADER_LIBS := -ldl -lpthread $(ZSTD_LIBS)
AS_SHARED = -shared -Wl,-soname,$(@F).$(ABI) -Wl,-z,relro,-z,now,-z,noexecstack
name_by_abi = @rm -f $@.* && ln -s $(@F) $@.$(ABI)

# The C library by its own name: what -lc stands for would add the dynamic loader, which libc brings along, to NEEDED.
LIBC_ALONE := $(ZSTD_LIBS) -nolibc -l:libc.so.6 -l:libc_nonshared.a -Wl,--as-needed -ldl -lpthread
# Its functions call each other directly (-Bsymbolic-functions), whatever else in the process has their names.
$(LIBMXGEMM_SO): LIBS = $(AS_SHARED) -Wl,-Bsymbolic-functions,--exclude-libs,ALL \
    $(if $(findstring sanitize,$(CFLAGS)),$(LOADER_LIBS) -lm,$(LIBC_ALONE))
$(LIBMXGEMM_SO): $(LOADER) $(SHARED)
	@mkdir -p $(@D)
	$(link)
	$(name_by_abi)

$(PACKED): loader/pack_gfx950.S $(PACK) $(B)/flags.key
	@mkdir -p $(@D)
	$(call tag,AS,$<)$(CC) -I. $(CPPFLAGS) -c -o $@ $<

$(LIBPACK): $(PACKED)
	@mkdir -p $(@D)
	$(archive)

# Data alone: it needs no other library.
$(LIBPACK_SO): $(PACKED)
	@mkdir -p $(@D)
	$(call tag,LINK,$@)$(CC) -nostdlib $(LDFLAGS) -o $@ $< $(AS_SHARED)
	$(name_by_abi)

$(B)/include/mxgemm.h: loader/mxgemm.h
	@mkdir -p $(@D)
	@cp $< $@

HOST_LIBS := $(LOADER_LIBS) -lm
$(call objects,loader/cli/safetensors.c): EXTRA = $(JANSSON_CFLAGS)
$(B)/bin/mxgemm: LIBS = $(JANSSON_LIBS) $(HOST_LIBS)
$(B)/bin/mxgemm: $(CLI) $(OUTPUT) $(PACK_WRITE) $(RANDOM) $(LIBMXGEMM) $(LIBPACK)
	@mkdir -p $(@D)
	$(link)

# ------------------------------------------------------------------------------------------- emulator and tests ----

$(LIBEMU): $(EMU) $(MSGPACK)
	@mkdir -p $(@D)
	$(archive)

$(B)/bin/mxemu: LIBS = $(HOST_LIBS)
$(B)/bin/mxemu: $(EMU_CLI) $(OUTPUT) $(LIBEMU)
	@mkdir -p $(@D)
	$(link)

HIP_MAP := tests/emu/hip/libamdhip64.map
# It stays when it is closed (nodelete): threads that end later still have streams in it.
$(HIP_EMU): LIBS = -shared -Wl,-soname,libamdhip64.so -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,--version-script=$(HIP_MAP) \
	$(HOST_LIBS)
$(HIP_EMU): $(EMU_HIP) $(LIBEMU) $(HIP_MAP)
	@mkdir -p $(@D)
	$(link)
	@ln -sf $(@F) $@.6 && ln -sf $(@F) $@.7

TEST_LIBS := $(LIBMXGEMM) $(LIBPACK) $(LIBGEN) $(LIBEMU)
$(UNIT): LIBS = $(HOST_LIBS)
$(UNIT): $(B)/test/%: $(B)/obj/tests/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(link)

$(addprefix $(B)/test/unit/,test_oracle test_origin test_mutate test_handoff test_aiter): $(DATA)
$(B)/test/unit/test_safetensors: $(call objects,loader/cli/safetensors.c)
$(B)/obj/tests/unit/test_report_fields.o: EXTRA = $(JANSSON_CFLAGS)
$(addprefix $(B)/test/unit/,test_safetensors test_report_fields): LIBS = $(JANSSON_LIBS) $(HOST_LIBS)
$(B)/test/unit/test_calibrate: $(filter-out %/main.o %/play.o,$(CALIBRATE)) $(BENCH_SHARED)
$(B)/test/unit/test_kernel_counters: $(BENCH_SHARED)

$(addprefix $(B)/test/isa/,test_compiled test_order test_resident test_hip_program): $(LIBGEN)
$(B)/test/isa/test_kernel_code: $(BENCH_SHARED) $(LIBMXGEMM) $(LIBPACK) $(LIBGEN)
$(ISA): LIBS = $(COMGR_LIBS) $(HOST_LIBS)
$(ISA): $(B)/test/%: $(B)/obj/tests/%.o $(LIBEMU)
	@mkdir -p $(@D)
	$(link)

$(B)/test/gemm: LIBS = $(HOST_LIBS)
$(B)/test/gemm: $(GEMM) $(TEST_LIBS)
	@mkdir -p $(@D)
	$(link)

$(B)/test/fuzz/corrupt_object: LIBS = $(HOST_LIBS)
$(B)/test/fuzz/corrupt_object: $(FUZZ) $(DATA) $(TEST_LIBS)
	@mkdir -p $(@D)
	$(link)

$(FUZZERS): LIBS = $(FUZZ_LIBS) $(HOST_LIBS)
$(B)/test/fuzz/fuzz_safetensors: LIBS = $(FUZZ_LIBS) $(JANSSON_LIBS) $(HOST_LIBS)
$(B)/test/fuzz/fuzz_safetensors: $(call objects,loader/cli/safetensors.c)
$(B)/obj/tests/fuzz/parse/fuzz_report.o: EXTRA = $(JANSSON_CFLAGS)
$(B)/test/fuzz/fuzz_report: LIBS = $(FUZZ_LIBS) $(JANSSON_LIBS) $(HOST_LIBS)
$(addprefix $(B)/test/fuzz/fuzz_,table template report): $(LIBGEN)
$(FUZZERS): $(B)/test/fuzz/%: $(B)/obj/tests/fuzz/parse/%.o $(FUZZ_DRIVER) $(LIBMXGEMM)
	@mkdir -p $(@D)
	$(link)

$(B)/test/fuzz/pack_seeds: $(call objects,tests/fuzz/parse/pack_seeds.c) $(SHARED)
	@mkdir -p $(@D)
	$(link)

$(B)/test/race: LIBS = -lpthread
$(B)/test/race: $(B)/obj/tests/threads/race.o
	@mkdir -p $(@D)
	$(link)

$(B)/test/bench/emu_speed: LIBS = $(HOST_LIBS)
$(B)/test/bench/emu_speed: $(BENCH) $(TEST_LIBS)
	@mkdir -p $(@D)
	$(link)

$(B)/test/bench/weights: LIBS = $(HOST_LIBS)
$(B)/test/bench/weights: $(WEIGHTS) $(LIBMXGEMM)
	@mkdir -p $(@D)
	$(link)

$(B)/test/bench/loader: LIBS = $(HOST_LIBS)
$(B)/test/bench/loader: $(BENCH_LOADER) $(COMMON) $(LIBMXGEMM) $(LIBPACK)
	@mkdir -p $(@D)
	$(link)

$(addprefix $(B)/test/bench/,problems tune calibrate): LIBS = $(HOST_LIBS)
$(B)/test/bench/problems: $(PROBLEMS) $(BENCH_SHARED) $(TEST_LIBS)
	@mkdir -p $(@D)
	$(link)

$(B)/test/bench/tune: $(TUNE) $(BENCH_SHARED) $(TEST_LIBS)
	@mkdir -p $(@D)
	$(link)

$(B)/test/bench/calibrate: $(CALIBRATE) $(BENCH_SHARED) $(TEST_LIBS)
	@mkdir -p $(@D)
	$(link)

# ---------------------------------------------------------------------------------------------------- targets ----

## gen: the kernel variants, the pack, the libraries, the commands, the emulated HIP and the report
gen: export COMGR := $(COMGR)
gen: $(PACK) $(LIBRARIES) $(MXGEMM) $(EMULATED)
	@printf '%s variants in out/gfx950, report in out/gfx950/report.txt, pack %s (%s bytes), by %s\n' \
	    "$$(ls out/gfx950/*.hsaco | wc -l)" $(PACK) "$$(wc -c < $(PACK))" "$$COMGR"

## verify: compiles all variants anew and compares them with those in out
verify: $(MXGEN)
	$(with_jobserver)@$(MXGEN) verify $(MXGEN_OPTIONS)

## check: the quick tests, under a minute
## test: all that CI runs, under 10 minutes on two cores
## test-all: test with the long lists of products, sanitize and sanitize-threads
## test-gpu: the cases of test on a real MI355X
check check-sanitized test test-all test-gpu: $(PACK) $(LIBRARIES) $(TESTED)
	@UNIT='$(notdir $(UNIT))' ISA='$(notdir $(ISA))' B='$(B)' RUN_COMGR='$(RUN_COMGR)' HIP_LIBRARY='$(HIP_LIBRARY)' \
	    CC='$(CC)' MAKE='$(MAKE)' sh tests/run.sh $@

## test-variant: all products that the tests have for one variant, VARIANT=NAME
test-variant: $(B)/test/gemm $(HIP_EMU)
	@$(if $(VARIANT),,echo 'test-variant needs VARIANT=NAME, a name that mxgen list prints' >&2; exit 2)
	@$< --hip $(HIP_EMU) $(addprefix --jobs ,$(jobs)) --variant '$(VARIANT)'

## bench: problems that everyone measures, by the timing model; MXG_ORIGIN and MXG_AITER add others' objects
# They are played anew for bench, for report only if they would be others.
BENCHED := out/bench/problems
bench: $(BENCHED).tsv
$(BENCHED).tsv: $(B)/test/bench/problems tests/bench/f4gemm_mi355x_measured.tsv out/bench.key \
    $(if $(filter bench,$(MAKECMDGOALS)),FORCE)
	@mkdir -p $(@D)
	@$< --json $(BENCHED).json --tsv $@ $(addprefix --jobs ,$(jobs))

## bench-emu: how fast the emulator is, in wave-instructions a second; MXG_ORIGIN adds the origin's problems
bench-emu: $(B)/test/bench/emu_speed
	@$<

## bench-gen: how fast the variants are compiled, beside a process for each; fails below its limits
bench-gen: $(PACK)
	@MAKE='$(MAKE)' sh tests/bench/gen.sh $(jobs)

## bench-weights: how fast weights are converted in host memory, beside memcpy(); fails below 0.6 of it
bench-weights: $(B)/test/bench/weights
	@$<

## bench-loader: what a launch, a choice and opening a pack cost, against the limits they have
bench-loader: $(B)/test/bench/loader $(PACK)
	@$< $(PACK)

## tune: times of all variants into gen/gemm.tuning, by the timing model or, with BACKEND=gpu, on a device
BACKEND ?= model
say_tuned = echo 'make gen takes gen/gemm.tuning into the pack'
tune: $(B)/test/bench/tune
	@$< sweep --out $(if $(SHARD),out/tune,gen/gemm.tuning) --backend $(BACKEND) $(addprefix --shard ,$(SHARD)) \
	    $(if $(MXG_TUNE_POINTS),--points '$(MXG_TUNE_POINTS)',$(if $(filter model,$(BACKEND)),--replace)) \
	    $(addprefix --jobs ,$(jobs))
	@$(if $(SHARD),echo 'make tune-merge puts all shards into gen/gemm.tuning',$(say_tuned))

## tune-merge: what `make tune SHARD=1/N` to `SHARD=N/N` left in out/tune into gen/gemm.tuning
tune-merge: $(B)/test/bench/tune
	@$< merge --out gen/gemm.tuning out/tune
	@$(say_tuned)

## calibrate: the timing model against aiter's published times; MXG_AITER names its hsa/gfx950/f4gemm
calibrate: $(B)/test/bench/calibrate
	@$< $(addprefix --jobs ,$(jobs))

## calibrate-fit: better values of what is fitted in tests/emu/time/machine.def, to FIT_ROWS (60) of these times
FIT_ROWS := 60
FIT_ITERATIONS := 6
calibrate-fit: $(B)/test/bench/calibrate
	@$< --fit --rows $(FIT_ROWS) --iterations $(FIT_ITERATIONS) $(addprefix --jobs ,$(jobs))

## report-calibration: calibrate, and out/report/calibration.txt, .json, .tsv and .svg, which gnuplot draws
report-calibration: $(B)/test/bench/calibrate
	@$(need_gnuplot)
	@rm -f out/report/calibration.tsv out/report/calibration.svg
	@$< --report out/report $(addprefix --jobs ,$(jobs)); status=$$?; \
	[ -f out/report/calibration.tsv ] || exit $$status; \
	'$(GNUPLOT)' -e 'data = "out/report/calibration.tsv"' -e 'picture = "out/report/calibration.svg"' \
	    tests/bench/calibrate/calibrate.gp && exit $$status

## sanitize: the quick tests, and those of some seconds, under AddressSanitizer and UBSan
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
sanitize: gen
	@$(MAKE) --no-print-directory B=out/sanitize CFLAGS='-O1 -g $(SANITIZERS)' check-sanitized

# A race is found only where it happens, whatever the speed: what takes minutes under this sanitizer is left out.
THREAD_SANITIZER := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
TOO_SLOW_FOR_THREADS := test_handoff test_kernel_counters test_mutate
## sanitize-threads: the unit tests, of loader and emulator, and the examples, under ThreadSanitizer
sanitize-threads: gen
	@$(MAKE) --no-print-directory B=out/tsan CFLAGS='$(THREAD_SANITIZER)' check-threads
check-threads: $(UNIT) $(if $(EMU_HIP),$(LIBRARIES) $(MXGEMM) $(EMULATED)) $(B)/test/race
	@UNIT='$(filter-out $(TOO_SLOW_FOR_THREADS),$(notdir $(UNIT)))' EXAMPLES='$(if $(EMU_HIP),yes)' B='$(B)' \
	    CC='$(CC)' MAKE='$(MAKE)' sh tests/run.sh $@
# Those of them that need neither emulator nor generator: the loader with a HIP that counts, choices in many threads,
# and the threads of weights.
THREADED := $(shell grep -lE 'loader_fixture\.h|mxg_convert_weights' tests/unit/*.c) tests/unit/test_alike.c
check-threads-loader: gen
	@$(MAKE) --no-print-directory B=out/tsan CFLAGS='$(THREAD_SANITIZER)' EMU_HIP= \
	    UNIT='$(THREADED:tests/%.c=out/tsan/test/%)' \
	    TEST_LIBS='out/tsan/lib/libmxgemm.a out/tsan/lib/libmxgemm_gfx950.a' check-threads

## fuzz: FUZZ_CASES (100000) corrupted code objects by FUZZ_SEED (1), and FUZZ_SECONDS (60) of each parser
FUZZ_CASES := 100000
FUZZ_SEED := 1
FUZZ_SECONDS := 60
FUZZ_CC := clang
fuzzed = +@CC='$(CC)' MAKE='$(MAKE)' FUZZ_CC='$(FUZZ_CC)' FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_SEED='$(FUZZ_SEED)' \
    SANITIZERS='$(SANITIZERS)' sh tests/fuzz/parse/fuzz.sh
fuzz: $(B)/test/fuzz/corrupt_object
	@$< --cases $(FUZZ_CASES) --seed $(FUZZ_SEED)
	$(fuzzed) $(PARSERS)
$(addprefix fuzz-,$(PARSERS)): fuzz-%: FORCE
	$(fuzzed) $*
## fuzz-keep: what fuzz has found of inputs that reach more, into tests/fuzz/corpus
fuzz-keep:
	$(fuzzed) keep $(PARSERS)
## fuzz-seeds: the packs that fuzz begins with, anew, after a change of the format
fuzz-seeds: $(B)/test/fuzz/pack_seeds
	@rm -f tests/fuzz/corpus/pack/*
	@$< tests/fuzz/corpus/pack

## report: all variants in out/report/variants.{html,txt,json}, changes since BASE=old.json; pictures of bench
GNUPLOT ?= gnuplot
need_gnuplot = command -v '$(GNUPLOT)' > /dev/null || \
    { echo 'no $(GNUPLOT) to draw with; it is in the package gnuplot-nox' >&2; exit 1; }
BASE :=
# A pack of a few variants does not do all problems of the map, which is said and no reason to have no report.
report-variants: $(PACK) $(MXGEMM)
	@$(MXGEMM) choose --problems gen/report.problems --b-layout shuffled --scale-layout shuffled --json \
	    > out/choices.json || test -s out/choices.json
	@$(MXGEN) report --table '$(VARIANTS)' $(if $(ONLY),--only '$(ONLY)') --tuning gen/gemm.tuning --out out \
	    --choices out/choices.json $(if $(BASE),--base '$(BASE)')
# What takes long comes last.
ifneq ($(filter report,$(MAKECMDGOALS)),)
$(BENCHED).tsv: | report-variants
endif
report: report-variants $(if $(shell command -v '$(GNUPLOT)'),report-pictures)
	@command -v '$(GNUPLOT)' > /dev/null || \
	    echo 'no pictures of what bench finds: there is no $(GNUPLOT) to draw them; it is in the package gnuplot-nox'
report-pictures: $(BENCHED).tsv
	@$(need_gnuplot)
	@mkdir -p out/report
	@for picture in problems roofline; do \
	    '$(GNUPLOT)' -e 'data = "$(BENCHED).tsv"' -e "picture = \"out/report/$$picture.svg\"" \
	        tests/bench/problems/$$picture.gp && echo "out/report/$$picture.svg" || exit 1; \
	done

## report-compilers: the variants by this compiler and by SECOND, a Debian suite's (experimental), in out/compilers
SECOND := experimental
.PHONY: check-sanitized report-compilers
report-compilers: $(PACK) $(B)/test/bench/tune
	@SECOND='$(SECOND)' INTO=out/compilers B='$(B)' CC='$(CC)' VARIANTS='$(VARIANTS)' ONLY='$(ONLY)' JOBS='$(jobs)' \
	    RUN_COMGR='$(RUN_COMGR)' sh tests/bench/compilers.sh

## install: header, libraries, pack, mxgemm, files for pkg-config and CMake below $(DESTDIR)$(PREFIX); LIBDIR
## uninstall: removes what install of the same version has put there
install: gen
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export LIBDIR := $(LIBDIR)
install uninstall: export DESTDIR := $(DESTDIR)
install uninstall:
	@B='$(B)' VERSION='$(VERSION)' ABI='$(ABI)' LIBS='-ldl -lpthread $(if $(ZSTD_LIBS),-lzstd)' \
	    sh loader/packaging/install.sh $@

## clean: removes what was built, but not what was fetched, nor shards of tune that are not merged
clean:
	@test ! -d out || find out -mindepth 1 -maxdepth 1 ! -name toolchain ! -name packages ! -name tune -exec rm -rf {} +

## distclean: removes out/ altogether
distclean:
	rm -rf out

## help: this list
help:
	@sed -n 's/^## \([^:]*\): \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'
	@echo
	@echo '  V=1 shows whole commands; CC and CFLAGS are the C compiler and its optimisation flags.'
	@echo '  VARIANTS=FILE (gen/gemm.variants) and ONLY=GROUP,...: the table, and what of it gen builds.'
	@echo '  ZSTD=1 lets the library read packs that are compressed by libzstd, COMPRESS=1 makes the pack such a one.'
	@echo '  BACKEND=model or gpu, SHARD=I/N and MXG_TUNE_POINTS=FILE of lines "m n k": what tune sweeps.'
	@echo '  MXG_TOOLCHAIN, ROCM_PATH, MXG_SUITE, MXG_MIRROR: which comgr compiles the kernels, see gen/toolchain.sh.'
	@echo '  MXG_LIBRARIES, MXG_MIRROR: where libjansson and libzstd come from, see gen/library.sh.'

.PHONY: gen verify check test test-all test-gpu test-variant bench bench-emu bench-gen bench-weights bench-loader tune \
    tune-merge calibrate calibrate-fit report-calibration sanitize sanitize-threads check-threads check-threads-loader \
    fuzz fuzz-keep fuzz-seeds report report-variants report-pictures install uninstall clean distclean help FORCE
FORCE:

-include $(wildcard $(patsubst %.o,%.d,$(COMMON) $(GEN) $(LOADER) $(CLI) $(EMU) $(EMU_CLI) $(EMU_HIP) \
    $(GEMM) $(FUZZ) $(FUZZ_DRIVER) $(PARSERS:%=$(B)/obj/tests/fuzz/parse/fuzz_%.o) $(BENCH_LOADER) $(BENCH) \
    $(PROBLEMS) $(TUNE) $(CALIBRATE) $(WEIGHTS) $(patsubst $(B)/test/%,$(B)/obj/tests/%.o,$(UNIT) $(ISA))))
