// Records in a hash table of lists, found by names: calls, strings, pointers and allocation.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

struct record {
    struct record *next;
    char name[24];
    long visits;
};

static struct record *table[BUCKETS];

static unsigned hash(const char *name)
{
    unsigned sum = 5381;
    while (*name)
        sum = sum * 33 + (unsigned char)*name++;
    return sum;
}

static struct record *find(const char *name)
{
    struct record **place = &table[hash(name) % BUCKETS];
    for (struct record *own = *place; own; own = own->next)
        if (strcmp(own->name, name) == 0)
            return own;
    struct record *made = calloc(1, sizeof *made);
    strcpy(made->name, name);
    made->next = *place;
    return *place = made;
}

static void write_name(char *out, unsigned long number)
{
    char digits[24];
    int count = 0;
    do
        digits[count++] = 'a' + number % 26;
    while (number /= 26);
    while (count)
        *out++ = digits[--count];
    *out = 0;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1, most = 0;
    unsigned long random = 1;
    for (long round = 0; round < rounds; round++) {
        char name[24];
        random = random * 6364136223846793005ul + 1442695040888963407ul;
        write_name(name, (random >> 33) % 1000 * 104729);
        struct record *own = find(name);
        if (++own->visits > most)
            most = own->visits;
    }
    printf("%ld\n", most);
    return 0;
}
