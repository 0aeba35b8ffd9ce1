// The functions of string.h over alignments and lengths, each beside a loop.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 320 };

static uint8_t from[SIZE], to[SIZE], expected[SIZE];
static unsigned wrong;
static uint32_t sum;

static void check(const char *what, int fine, unsigned a, unsigned b, unsigned length) {
    if (fine) return;
    if (wrong++ < 10) printf("%s is wrong: %u %u %u\n", what, a, b, length);
}

static void fill(void) {
    for (int i = 0; i < SIZE; i++) from[i] = (uint8_t)(i * 73 + (i >> 4) + 1),
        to[i] = expected[i] = (uint8_t)(i ^ 0x5a);
}

static void same(const char *what, unsigned a, unsigned b, unsigned length) {
    int fine = 1;
    for (int i = 0; i < SIZE; i++) fine &= to[i] == expected[i];
    check(what, fine, a, b, length);
    sum = sum * 31 + to[b] + to[b + length];
}

static void copies(unsigned a, unsigned b, unsigned length) {
    fill();
    memcpy(to + b, from + a, length);
    for (unsigned i = 0; i < length; i++) expected[b + i] = from[a + i];
    same("memcpy", a, b, length);
    memset(to + a, (int)length | 0x700, length);
    for (unsigned i = 0; i < length; i++) expected[a + i] = (uint8_t)length;
    same("memset", a, b, length);
    fill();
    memcpy(to, from, SIZE);
    memmove(to + b, to + a, length);
    for (int i = 0; i < SIZE; i++) expected[i] = from[i];
    for (unsigned i = 0; i < length; i++) expected[b + i] = from[a + i];
    same("memmove", a, b, length);
    check("memcmp", memcmp(to + b, from + a, length) == 0, a, b, length);
    if (!length) return;
    to[b + length - 1]++;
    int order = memcmp(to + b, from + a, length);
    check("memcmp", to[b + length - 1] == 0 ? order < 0 : order > 0, a, b, length);
}

static void texts(unsigned a, unsigned b, unsigned length) {
    char *x = (char *)to + a, *y = (char *)expected + b;
    memset(to, '-', SIZE);
    memset(expected, '-', SIZE);
    for (unsigned i = 0; i < length; i++) x[i] = (char)('a' + i % 20);
    x[length] = 0;
    check("strlen", strlen(x) == length, a, b, length);
    check("strnlen", strnlen(x, 40) == (length < 40 ? length : 40), a, b, length);
    check("strcpy", strcpy(y, x) == y && y[length] == 0 && y[length + 1] == '-', a, b, length);
    check("strcmp", strcmp(x, y) == 0, a, b, length);
    check("strchr", strchr(x, 0) == x + length && strchr(x, '-') == NULL, a, b, length);
    check("memchr", memchr(x, 0, SIZE - a) == x + length, a, b, length);
    check("strncmp", strncmp(x, y, 50) == 0, a, b, length);
    if (!length) return;
    char last = x[length - 1];
    unsigned first = (unsigned)(last - 'a');
    check("strchr", strchr(x, last) == x + first, a, b, length);
    check("strrchr", strrchr(x, last) == x + length - 1, a, b, length);
    // The letters repeat after 20: in longer texts the first place is another.
    char *place = strstr(x, y + length / 2);
    check("strstr", length < 21 ? place == x + length / 2 : place == x + length / 2 % 20, a, b, length);
    y[length - 1]++;
    check("strcmp", strcmp(x, y) < 0 && strcmp(y, x) > 0, a, b, length);
    check("strncmp", strncmp(x, y, length - 1) == 0, a, b, length);
    check("strspn", strspn(x, "abcdefghijklmnopqrst") == length && strcspn(x, (char[]){last, 0}) == first, a, b,
        length);
    strncpy(y, x, length + 3);
    check("strncpy", y[length] == 0 && y[length + 2] == 0 && y[length + 3] == '-', a, b, length);
    strcat(y, "END");
    check("strcat", strlen(y) == length + 3 && strcmp(y + length, "END") == 0, a, b, length);
}

int main(void) {
    static const unsigned lengths[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 200};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    for (unsigned a = 0; a < 16; a += 5)
        for (unsigned b = 0; b < 16; b += 7)
            for (int i = 0; i < LENGTHS; i++) {
                if ((a + b) % 2 == 0) copies(a, b, lengths[i]);
                texts(a, b, lengths[i]);
            }
    printf("wrong %u, sum %08x\n", wrong, sum);

    char text[] = "one, two;; three , four";
    for (char *rest = text, *word; (word = strtok_r(rest, ",; ", &rest)) != NULL;) printf("<%s>", word);
    puts("");
    const char *hay = "abababacababacabab";
    for (const char *at = hay; (at = strstr(at, "abac")) != NULL; at++) printf("%d ", (int)(at - hay));
    printf("%s %d\n", strpbrk("hello world", "wxyz"), (int)strcspn("key=value", "="));
    printf("%s %s\n", strerror(2), (char *)memmem("012345", 6, "34", 2));
}
