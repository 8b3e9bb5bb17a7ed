/* Two tables of times, of two builds of the variants. */
#ifndef TESTS_BENCH_TUNE_COMPARE_H
#define TESTS_BENCH_TUNE_COMPARE_H

/* Prints for each problem and format of A the fastest family by either table, and for each family the second's times
 * over the first's, of the problems for which both have one of the same source. Formats are those of the pack that is a
 * file, or of the built-in one for NULL; families that it has no variant of are left out. No such problem, and tables
 * that cannot be read, end the program. */
void tune_compare(const char *first_path, const char *second_path, const char *pack);

#endif
