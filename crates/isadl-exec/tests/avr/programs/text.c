// Numbers as text, and strings.
#include "start.h"
#include <stdio.h>
#include <stdlib.h>

char lines[12][24];
volatile long parsed;

int main(void)
{
    for (int8_t i = 0; i < 8; i++)
        sprintf(lines[i], "%d %5u %04x %ld", i * 1111 - 3000, i * 777, i * 4097, 123456789L * (i - 4));
    strcpy(lines[8], "seventeen");
    strcat(lines[8], " and more");
    strrev(lines[8]);
    parsed = strtol("-987654", 0, 10) + strtol("0x7fff", 0, 16);
    ltoa(parsed, lines[9], 7);
    memmove(lines[10], lines[0] + 1, 12);
    end();
}
