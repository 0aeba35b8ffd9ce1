// Sorts numbers in several ways, with recursion and pointers to functions.
#include "start.h"
#include <stdlib.h>

enum { COUNT = 60 };

volatile uint8_t is_same;
int16_t numbers[COUNT], other[COUNT];

static int compare(const void *a, const void *b)
{
    int16_t x = *(const int16_t *)a, y = *(const int16_t *)b;
    return (x > y) - (x < y);
}

static void merge_sort(int16_t *from, uint8_t count)
{
    if (count < 2)
        return;
    uint8_t half = count / 2;
    merge_sort(from, half);
    merge_sort(from + half, count - half);
    int16_t merged[COUNT];
    uint8_t a = 0, b = half;
    for (uint8_t i = 0; i < count; i++)
        merged[i] = b == count || (a < half && from[a] <= from[b]) ? from[a++] : from[b++];
    memcpy(from, merged, count * sizeof *from);
}

int main(void)
{
    uint16_t random = 1;
    for (uint8_t i = 0; i < COUNT; i++) {
        random = random * 25173 + 13849;
        numbers[i] = other[i] = (int16_t)random;
    }
    qsort(numbers, COUNT, sizeof *numbers, compare);
    merge_sort(other, COUNT);
    is_same = memcmp(numbers, other, sizeof numbers) == 0;
    end();
}
