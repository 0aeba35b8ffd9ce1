// Large integers: factorials, powers, Fibonacci numbers, a greatest common divisor, and digits of pi.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMBS = 80 };

struct big { uint32_t limb[LIMBS]; int count; };

static void trim(struct big *x) {
    while (x->count && !x->limb[x->count - 1]) x->count--;
}

static void multiply_small(struct big *x, uint32_t by) {
    uint64_t carry = 0;
    for (int i = 0; i < x->count; i++, carry >>= 32) x->limb[i] = (uint32_t)(carry += (uint64_t)x->limb[i] * by);
    if (carry) x->limb[x->count++] = (uint32_t)carry;
}

static uint32_t divide_small(struct big *x, uint32_t by) {
    uint64_t rest = 0;
    for (int i = x->count - 1; i >= 0; i--) {
        rest = rest << 32 | x->limb[i];
        x->limb[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    trim(x);
    return (uint32_t)rest;
}

static struct big product(const struct big *a, const struct big *b) {
    struct big result = {{0}, a->count + b->count};
    for (int i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < b->count; k++, carry >>= 32)
            result.limb[i + k] = (uint32_t)(carry += result.limb[i + k] + (uint64_t)a->limb[i] * b->limb[k]);
        result.limb[i + b->count] = (uint32_t)carry;
    }
    trim(&result);
    return result;
}

static void add(struct big *x, const struct big *y) {
    uint64_t carry = 0;
    for (int i = 0; i < y->count || (carry && i <= x->count); i++, carry >>= 32) {
        if (i >= x->count) x->limb[x->count++] = 0;
        x->limb[i] = (uint32_t)(carry += (uint64_t)x->limb[i] + (i < y->count ? y->limb[i] : 0));
    }
}

static int compare(const struct big *a, const struct big *b) {
    if (a->count != b->count) return a->count - b->count;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void subtract(struct big *x, const struct big *y) {
    int64_t borrow = 0;
    for (int i = 0; i < x->count; i++, borrow >>= 32)
        x->limb[i] = (uint32_t)(borrow += (int64_t)x->limb[i] - (i < y->count ? y->limb[i] : 0));
    trim(x);
}

static void print(const char *name, struct big x) {
    char digits[LIMBS * 10 + 1], *at = digits + sizeof digits - 1;
    *at = 0;
    do {
        uint32_t part = divide_small(&x, 1000000000);
        for (int i = 0; i < 9 && (x.count || part || i == 0); i++, part /= 10) *--at = (char)('0' + part % 10);
    } while (x.count);
    printf("%s = %s (%zu digits)\n", name, at, strlen(at));
}

// A spigot: the numerators of a series, digit by digit.
static void pi(int digits) {
    int terms = digits * 10 / 3 + 2, nines = 0, pending = -1;
    int *rest = malloc((size_t)terms * sizeof *rest);
    for (int i = 0; i < terms; i++) rest[i] = 2;
    printf("pi = ");
    for (int digit = 0; digit <= digits; digit++) {
        int carry = 0;
        for (int i = terms - 1; i > 0; i--) {
            int x = rest[i] * 10 + carry * (i + 1);
            rest[i] = x % (2 * i + 1);
            carry = x / (2 * i + 1);
        }
        carry += rest[0] * 10;
        rest[0] = carry % 10;
        int next = carry / 10;
        if (next == 9) {
            nines++;
            continue;
        }
        if (pending >= 0) printf("%d", pending + next / 10);
        for (; nines; nines--) putchar('0' + (next == 10 ? 0 : 9));
        pending = next % 10;
    }
    puts("");
    free(rest);
}

int main(void) {
    struct big x = {{1}, 1}, y = {{1}, 1};
    for (uint32_t i = 2; i <= 300; i++) multiply_small(&x, i);
    print("300!", x);
    struct big seven = {{7}, 1}, power = {{1}, 1};
    for (int bit = 7; bit >= 0; bit--) {
        power = product(&power, &power);
        if (201 >> bit & 1) power = product(&power, &seven);
    }
    print("7^201", power);
    x = y;
    for (int i = 2; i < 500; i += 2) add(&x, &y), add(&y, &x);
    print("fibonacci", y);
    // All are odd, as Stein's algorithm needs them.
    struct big a = {{123456789, 987654321, 42}, 3}, b = {{0xdeadbeef, 77}, 2}, common = {{1000003, 5}, 2};
    a = product(&a, &common);
    b = product(&b, &common);
    for (int order; (order = compare(&a, &b)) != 0;) {
        struct big *more = order > 0 ? &a : &b;
        subtract(more, order > 0 ? &b : &a);
        while (more->limb[0] % 2 == 0) divide_small(more, 2);
    }
    print("divisor", a);
    pi(150);
}
