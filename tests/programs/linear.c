// Linear algebra in double and float: products, elimination, determinants, a fast Fourier transform, convolution.
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, POINTS = 256 };

static double a[N][N], b[N][N], c[N][N];
static float af[N][N], bf[N][N], cf[N][N];

// A sum of bits tells every difference.
static uint64_t sum_of(const void *values, size_t size) {
    const unsigned char *bytes = values;
    uint64_t sum = 14695981039346656037u;
    while (size--) sum = (sum ^ *bytes++) * 1099511628211u;
    return sum;
}

static void products(void) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            a[i][k] = af[i][k] = (float)(i - k) / (float)(i + k + 1);
            b[i][k] = bf[i][k] = (float)((i * 7 + k * 3) % 11) - 4.5f;
        }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double x = 0;
            float y = 0;
            for (int m = 0; m < N; m++) x += a[i][m] * b[m][k], y += af[i][m] * bf[m][k];
            c[i][k] = x;
            cf[i][k] = y;
        }
    double difference = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double own = fabs(c[i][k] - (double)cf[i][k]);
            if (own > difference) difference = own;
        }
    printf("products %.17g %.9g, difference %.3e, sums %016llx %016llx\n", c[3][5], (double)cf[3][5], difference,
        (unsigned long long)sum_of(c, sizeof c), (unsigned long long)sum_of(cf, sizeof cf));
}

// Solves with pivots; the determinant is what the pivots give.
static void elimination(void) {
    double m[N][N + 1], x[N], determinant = 1;
    for (int i = 0; i < N; i++) {
        m[i][N] = 0;
        for (int k = 0; k < N; k++) m[i][k] = 1.0 / (1 + abs(i - k)) + (i == k), m[i][N] += m[i][k] * (k + 1);
    }
    for (int p = 0; p < N; p++) {
        int best = p;
        for (int i = p + 1; i < N; i++)
            if (fabs(m[i][p]) > fabs(m[best][p])) best = i;
        double row[N + 1];
        memcpy(row, m[p], sizeof row);
        memcpy(m[p], m[best], sizeof row);
        memcpy(m[best], row, sizeof row);
        determinant *= best == p ? m[p][p] : -m[p][p];
        for (int i = p + 1; i < N; i++) {
            double factor = m[i][p] / m[p][p];
            for (int k = p; k <= N; k++) m[i][k] -= factor * m[p][k];
        }
    }
    double error = 0;
    for (int i = N - 1; i >= 0; i--) {
        x[i] = m[i][N];
        for (int k = i + 1; k < N; k++) x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
        if (fabs(x[i] - (i + 1)) > error) error = fabs(x[i] - (i + 1));
    }
    printf("determinant %.15g, error below 1e-12: %d, sum %016llx\n", determinant, error < 1e-12,
        (unsigned long long)sum_of(x, sizeof x));
}

// The roots of unity are made by halving angles: only square roots, which are exact to the last bit.
static void transform(double complex *x, int inverse) {
    for (int i = 1, k = 0; i < POINTS; i++) {
        int bit = POINTS >> 1;
        for (; k & bit; bit >>= 1) k ^= bit;
        k ^= bit;
        if (i < k) {
            double complex kept = x[i];
            x[i] = x[k];
            x[k] = kept;
        }
    }
    double cosine = -1;
    for (int size = 2; size <= POINTS; size *= 2) {
        double sine = size == 2 ? 0 : sqrt(1 - cosine * cosine);
        if (inverse) sine = -sine;
        for (int start = 0; start < POINTS; start += size) {
            double re = 1, im = 0;
            for (int k = start; k < start + size / 2; k++) {
                double complex odd = x[k + size / 2] * (re + I * im);
                x[k + size / 2] = x[k] - odd;
                x[k] += odd;
                double next = re * cosine - im * sine;
                im = re * sine + im * cosine;
                re = next;
            }
        }
        cosine = size == 2 ? 0 : sqrt((1 + cosine) / 2);
    }
    for (int i = 0; inverse && i < POINTS; i++) x[i] /= POINTS;
}

int main(void) {
    products();
    elimination();
    static double complex x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) x[i] = (i * i % 17) - 8 + I * (i % 5), y[i] = i < 8 ? 1.0 / (i + 1) : 0;
    double complex before = x[77];
    transform(x, 0);
    printf("spectrum %.12g %.12g, sum %016llx\n", creal(x[3]), cimag(x[3]), (unsigned long long)sum_of(x, sizeof x));
    transform(y, 0);
    for (int i = 0; i < POINTS; i++) y[i] *= x[i];
    transform(x, 1);
    transform(y, 1);
    printf("back %d, convolution %.10g %.10g, sum %016llx\n", cabs(x[77] - before) < 1e-12, creal(y[20]), cimag(y[20]),
        (unsigned long long)sum_of(y, sizeof y));
}
