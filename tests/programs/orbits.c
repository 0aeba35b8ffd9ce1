// Planets for some steps, the set of Mandelbrot, a logistic map, an integral, and random numbers of a distribution.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct body { double x[3], v[3], mass; };

enum { BODIES = 5 };

static const double sun = 39.47841760435743;
static struct body bodies[BODIES] = {
    {{0, 0, 0}, {0, 0, 0}, 1},
    {{4.8414, -1.1603, -0.1036}, {0.6063, 2.8119, -0.0252}, 9.5479e-4},
    {{8.3434, 4.1248, -0.4035}, {-1.0107, 1.8256, 0.0084}, 2.8588e-4},
    {{12.8943, -15.1111, -0.2233}, {1.0828, 0.8687, -0.0108}, 4.3662e-5},
    {{15.3797, -25.9193, 0.1793}, {0.9791, 0.5947, -0.0348}, 5.1514e-5}};

static double energy(void) {
    double e = 0;
    for (int i = 0; i < BODIES; i++) {
        const struct body *a = &bodies[i];
        e += 0.5 * a->mass * (a->v[0] * a->v[0] + a->v[1] * a->v[1] + a->v[2] * a->v[2]);
        for (int k = i + 1; k < BODIES; k++) {
            double square = 0;
            for (int d = 0; d < 3; d++) square += (a->x[d] - bodies[k].x[d]) * (a->x[d] - bodies[k].x[d]);
            e -= sun * a->mass * bodies[k].mass / sqrt(square);
        }
    }
    return e;
}

static void advance(double step) {
    for (int i = 0; i < BODIES; i++)
        for (int k = i + 1; k < BODIES; k++) {
            double difference[3], square = 0;
            for (int d = 0; d < 3; d++) {
                difference[d] = bodies[i].x[d] - bodies[k].x[d];
                square += difference[d] * difference[d];
            }
            double strength = step * sun / (square * sqrt(square));
            for (int d = 0; d < 3; d++) {
                bodies[i].v[d] -= difference[d] * bodies[k].mass * strength;
                bodies[k].v[d] += difference[d] * bodies[i].mass * strength;
            }
        }
    for (int i = 0; i < BODIES; i++)
        for (int d = 0; d < 3; d++) bodies[i].x[d] += step * bodies[i].v[d];
}

static void mandelbrot(void) {
    unsigned total = 0;
    for (int row = 0; row < 17; row++) {
        for (int column = 0; column < 56; column++) {
            double re = column / 20.0 - 2.1, im = (row - 8) / 7.0, x = 0, y = 0;
            int steps = 0;
            for (; steps < 60 && x * x + y * y < 4; steps++) {
                double next = x * x - y * y + re;
                y = 2 * x * y + im;
                x = next;
            }
            float xf = 0, yf = 0;
            for (int i = 0; i < 30 && xf * xf + yf * yf < 4; i++, total++) {
                float next = xf * xf - yf * yf + (float)re;
                yf = 2 * xf * yf + (float)im;
                xf = next;
            }
            putchar(steps == 60 ? '#' : " .:-=+*%"[steps / 2 > 7 ? 7 : steps / 2]);
        }
        puts("|");
    }
    printf("%u steps in single precision\n", total);
}

static double inside(double x) {
    return sqrt(x) / (1 + x * x);
}

static double integral(double from, double to, int parts) {
    double h = (to - from) / parts, sum = inside(from) + inside(to);
    for (int i = 1; i < parts; i++) sum += (i % 2 ? 4 : 2) * inside(from + i * h);
    return sum * h / 3;
}

int main(void) {
    printf("%.15g\n", energy());
    for (int i = 0; i < 300; i++) advance(0.01);
    printf("%.15g %a %a\n", energy(), bodies[1].x[0], bodies[4].v[2]);
    mandelbrot();
    double x = 0.3;
    float xf = 0.3f;
    for (int i = 0; i < 2000; i++) x = 3.9 * x * (1 - x), xf = 3.9f * xf * (1 - xf);
    printf("logistic %a %a\n", x, (double)xf);
    printf("integral %.15g\n", integral(0, 2, 400));
    double root = 1;
    for (int i = 0; i < 8; i++) root -= (root * root * root - root - 2) / (3 * root * root - 1);
    printf("root %.17g\n", root);
    // A sum of twelve uniform numbers is nearly normal.
    uint64_t seed = 3;
    int counts[12] = {0};
    for (int i = 0; i < 1000; i++) {
        double normal = -6;
        for (int k = 0; k < 12; k++) normal += (double)((seed = seed * 6364136223846793005u + 1) >> 11) * 0x1p-53;
        int slot = (int)floor(normal * 2) + 6;
        counts[slot < 0 ? 0 : slot > 11 ? 11 : slot]++;
    }
    for (int i = 0; i < 12; i++) printf("%5.1f: %3d %.*s\n", i / 2.0 - 3, counts[i], counts[i] / 5,
        "****************************************");
}
