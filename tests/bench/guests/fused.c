// A million fused multiplications and additions in each round.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < rounds * 125000; i++)
        for (int k = 0; k < 8; k++)
            x[k] = __builtin_fma(x[k], 0.99, 0.5);
    printf("%.17g\n", x[0] + x[7]);
    return 0;
}
