// qsort and bsearch of the library beside our own sorts.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seed = 2463534242;

static uint32_t next(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

struct record {
    char name[10];
    int16_t year;
    double weight;
};

static int by_number(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_year(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    return x->year != y->year ? x->year - y->year : strcmp(x->name, y->name);
}

static int by_weight(const void *a, const void *b) {
    double x = ((const struct record *)a)->weight, y = ((const struct record *)b)->weight;
    return (x > y) - (x < y);
}

static void heap_sort(int32_t *values, int count) {
    for (int phase = 0; phase < 2; phase++)
        for (int i = phase ? count - 1 : count / 2 - 1; i >= (phase ? 1 : 0); i--) {
            int root = phase ? 0 : i, end = phase ? i : count;
            if (phase) {
                int32_t kept = values[0];
                values[0] = values[i];
                values[i] = kept;
            }
            for (int child; (child = 2 * root + 1) < end; root = child) {
                if (child + 1 < end && values[child + 1] > values[child]) child++;
                if (values[root] >= values[child]) break;
                int32_t kept = values[root];
                values[root] = values[child];
                values[child] = kept;
            }
        }
}

static void insertion_sort(int32_t *values, int count) {
    for (int i = 1; i < count; i++) {
        int32_t value = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
}

enum { COUNT = 600, RECORDS = 90 };

int main(void) {
    static int32_t values[COUNT], copy[COUNT], small[COUNT];
    for (int i = 0; i < COUNT; i++) small[i] = copy[i] = values[i] = (int32_t)next() >> (i % 20);
    qsort(values, COUNT, sizeof *values, by_number);
    heap_sort(copy, COUNT);
    insertion_sort(small, COUNT);
    printf("same %d %d\n", memcmp(values, copy, sizeof values), memcmp(values, small, sizeof values));
    uint32_t sum = 0;
    for (int i = 0; i < COUNT; i++) sum = sum * 33 + (uint32_t)values[i];
    printf("least %d, median %d, greatest %d, sum %08x\n", values[0], values[COUNT / 2], values[COUNT - 1], sum);
    int found = 0, absent = 0;
    for (int32_t key = -500; key < 500; key++) {
        int32_t *place = bsearch(&key, values, COUNT, sizeof *values, by_number);
        if (place) found += (int)(place - values) * (*place == key);
        else absent++;
    }
    printf("places %d, absent %d\n", found, absent);

    const char *words[] = {"pear", "apple", "fig", "", "Apple", "banana", "cherry", "apples", "date", "grape", "a",
        "zebra", "elder"};
    qsort(words, sizeof words / sizeof *words, sizeof *words, by_text);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) printf("%s%c", words[i],
        i + 1 < sizeof words / sizeof *words ? ',' : '\n');

    static struct record records[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
        snprintf(records[i].name, sizeof records[i].name, "r%03u", next() % 1000);
        records[i].year = (int16_t)(1900 + next() % 20);
        records[i].weight = (double)(next() % 100000) / 7;
    }
    qsort(records, RECORDS, sizeof *records, by_year);
    for (int i = 0; i < RECORDS; i += 9) printf("%d %s %.3f\n", records[i].year, records[i].name, records[i].weight);
    qsort(records, RECORDS, sizeof *records, by_weight);
    for (int i = 0; i < RECORDS; i += 9) printf("%10.3f %-6s %d\n", records[i].weight, records[i].name,
        records[i].year);
}
