// Floating-point numbers in software.
#include "start.h"
#include <math.h>
#include <stdlib.h>

volatile float roots[6], sums[6];
char digits[6][16];

int main(void)
{
    float sum = 0;
    for (uint8_t i = 0; i < 6; i++) {
        roots[i] = sqrt(i + 0.5f);
        sum += sin(roots[i]) / (i + 1);
        sums[i] = sum;
        dtostrf(sum, 10, 5, digits[i]);
    }
    end();
}
