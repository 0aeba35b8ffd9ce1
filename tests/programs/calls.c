// The calling convention: structures by value in every size, many arguments, floats and integers mixed, varargs.
#include <complex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

struct bytes3 { uint8_t b[3]; };
struct mixed { int i; float f; };
struct two_doubles { double x, y; };
struct floats4 { float f[4]; };
struct large { long l[5]; char c; };
struct one_char { char c; };
struct nested { struct { float f; } in; int64_t i; };
union either { double d; uint64_t u; };
struct fields { unsigned a : 3; int b : 7; unsigned long c : 41; int d : 1; };

#define NOT_INLINE __attribute__((noinline))

NOT_INLINE static struct bytes3 turn(struct bytes3 x) {
    return (struct bytes3){{x.b[2], x.b[0], x.b[1]}};
}

NOT_INLINE static struct mixed swap(struct mixed x) {
    return (struct mixed){(int)x.f, (float)x.i};
}

NOT_INLINE static struct two_doubles add(struct two_doubles a, struct two_doubles b) {
    return (struct two_doubles){a.x + b.x, a.y + b.y};
}

NOT_INLINE static struct floats4 scale(struct floats4 x, float by) {
    for (int i = 0; i < 4; i++) x.f[i] *= by;
    return x;
}

NOT_INLINE static struct large shift(struct large x, int by) {
    for (int i = 0; i < 5; i++) x.l[i] <<= by;
    x.c++;
    return x;
}

NOT_INLINE static struct nested merge(struct one_char c, struct nested n, union either u) {
    return (struct nested){{n.in.f + (float)c.c}, n.i ^ (int64_t)u.u};
}

NOT_INLINE static struct fields change(struct fields x) {
    return (struct fields){x.a + 3, x.b - 60, x.c * 5, ~x.d};
}

NOT_INLINE static double many(int a, double b, float c, long d, short e, signed char f, double g, unsigned h, float i,
    double j, long k, float l, double m, struct mixed n, double o, long double p, struct large q, uint8_t r) {
    return a + 2 * b + 3 * (double)c + 4 * (double)d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * (double)i + 10 * j + 11 *
        (double)k +
        12 * (double)l + 13 * m + 14 * n.i + 15 * (double)n.f + 16 * o + 17 * (double)p + 18 * (double)q.l[4] + 19 * r;
}

NOT_INLINE static __int128 wide(int first, __int128 x, int second, unsigned __int128 y) {
    return x * first - (__int128)y * second;
}

// A letter for each argument: what varargs pass.
NOT_INLINE static void list(const char *kinds, va_list arguments) {
    for (; *kinds; kinds++) switch (*kinds) {
        case 'i': printf("%d ", va_arg(arguments, int)); break;
        case 'l': printf("%ld ", va_arg(arguments, long)); break;
        case 'd': printf("%g ", va_arg(arguments, double)); break;
        case 'D': printf("%Lg ", va_arg(arguments, long double)); break;
        case 's': printf("%s ", va_arg(arguments, const char *)); break;
        case 'm': { struct mixed m = va_arg(arguments, struct mixed); printf("{%d %g} ", m.i, (double)m.f); break; }
        case 'L': { struct large l = va_arg(arguments, struct large); printf("{%ld %ld %c} ", l.l[0], l.l[4],
            l.c); break; }
        case 't': { struct two_doubles t = va_arg(arguments, struct two_doubles); printf("{%g %g} ", t.x, t.y); break; }
        case 'q': { __int128 q = va_arg(arguments, __int128); printf("%lx:%lx ", (long)(q >> 64), (long)q); break; }
    }
}

NOT_INLINE static void show(const char *kinds, ...) {
    va_list once, again;
    va_start(once, kinds);
    va_copy(again, once);
    list(kinds, once);
    list(kinds, again);
    puts("");
    va_end(again);
    va_end(once);
}

int main(void) {
    struct bytes3 b = turn((struct bytes3){{1, 2, 3}});
    struct mixed m = swap((struct mixed){4, 5.75f});
    struct two_doubles t = add((struct two_doubles){1.5, -2}, (struct two_doubles){0.25, 8});
    struct floats4 f = scale((struct floats4){{1, 2, 3, 4}}, -1.5f);
    struct large l = shift((struct large){{1, -2, 3, -4, 5}, 'x'}, 3);
    struct nested n = merge((struct one_char){'!'}, (struct nested){{0.5f}, 255}, (union either){.d = -1.25});
    struct fields s = change((struct fields){5, -9, 1234567890123, 0});
    printf("%d%d%d %d %g %g %g\n", b.b[0], b.b[1], b.b[2], m.i, (double)m.f, t.x, t.y);
    printf("%g %g %g %g %ld %ld %c %g %llx\n", (double)f.f[0], (double)f.f[1], (double)f.f[2], (double)f.f[3], l.l[1],
        l.l[4], l.c, (double)n.in.f, (unsigned long long)n.i);
    printf("%u %d %lu %d\n", s.a, s.b, (unsigned long)s.c, s.d);
    printf("%.6f\n", many(1, 2.5, 3.5f, -4, 5, -6, 7.25, 4000000000u, 9.125f, 10, -11, 12, 13, m, 15, 16.5L, l, 255));
    __int128 w = wide(3, (__int128)1 << 100, 7, ((unsigned __int128)1 << 90) + 12345);
    printf("%lx:%lx\n", (long)(w >> 64), (long)w);
    double complex z = (1 + 2 * I) * (3 - I) / (0.5 + I);
    printf("%g %g\n", creal(z), cimag(z));
    show("idls", 1, 2.5, 3L, "four");
    show("mqidLtDs", m, w, -5, 6.5, l, t, 7.75L, "end");
    show("dddddddddddd", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0);
    show("ililililililtqi", 1, 2L, 3, 4L, 5, 6L, 7, 8L, 9, 10L, 11, 12L, t, w, 13);
}
