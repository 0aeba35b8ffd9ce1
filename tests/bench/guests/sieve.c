// Primes below two million, over and over: loads, stores and branches that are hard to guess.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 2000000 };

static unsigned char composite[LIMIT];

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    unsigned count = 0;
    for (int round = 0; round < rounds; round++) {
        memset(composite, 0, sizeof composite);
        for (unsigned long number = 2; number < LIMIT; number++) {
            if (composite[number])
                continue;
            count++;
            for (unsigned long multiple = 2 * number; multiple < LIMIT; multiple += number)
                composite[multiple] = 1;
        }
    }
    printf("%u\n", count);
    return 0;
}
