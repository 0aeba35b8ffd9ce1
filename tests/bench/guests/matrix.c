// The product of two matrices of doubles, and a polynomial: loads, multiplications and additions of floating-point numbers.
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 64 };

static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = (double)(i * 7 + j * 3) / 11;
            b[i][j] = (double)(i - j) / 13;
        }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++) {
                double sum = 0;
                for (int k = 0; k < SIZE; k++)
                    sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
        for (int i = 0; i < SIZE; i++)
            a[0][i] = (c[i][i] / 3 + 1) / (c[0][i] * c[0][i] + 1);
    }
    printf("%.17g\n", c[SIZE / 2][SIZE / 3]);
    return 0;
}
