// sscanf and snprintf: every conversion with flags, widths and precisions; truncation; what is read and what is left.
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void integers(void) {
    static const char *const formats[] = {"%d", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d|", "%+-8.3d|",
        "%u", "%o", "%#o", "%x", "%#x", "%X", "%#10X|", "%-#10x|", "%#.6x", "%i"};
    static const int numbers[] = {0, 1, -1, 42, -300, 123456, INT_MAX, INT_MIN};
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++) {
        char text[400] = "";
        size_t length = 0;
        for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            length += (size_t)snprintf(text + length, sizeof text - length, formats[f], numbers[i]);
            text[length++] = ' ';
        }
        text[length] = 0;
        printf("%-8s %s\n", formats[f], text);
    }
    printf("%hhd %hhu %hd %hu %ld %lu %lld %llx %jd %zu %td %" PRId64 " %" PRIx32 "\n", (signed char)-7,
        (unsigned char)250, (short)-30000, (unsigned short)60000, LONG_MIN, ULONG_MAX, LLONG_MAX,
        0xfedcba9876543210ull, (intmax_t)-5, sizeof(int), (ptrdiff_t)-9, INT64_MIN, UINT32_MAX);
}

static void texts(void) {
    int before = 0, after = 0;
    printf("[%s] [%10s] [%-10s] [%.2s] [%*.*s] [%c%5c%-3c] [%%] %n", "text", "right", "left", "cut", 8, 3, "stars",
        'a', 'b', 'c', &before);
    printf("%d%n\n", before, &after);
    printf("after %d, %ls\n", after, L"wide");
    char small[8];
    for (size_t size = 0; size <= 8; size += 2) {
        memset(small, '#', sizeof small);
        int length = snprintf(small, size, "%d-%s", 123, "abcdef");
        printf("size %zu: would be %d, is ", size, length);
        for (int i = 0; i < 8; i++) putchar(small[i] ? small[i] : '0');
        puts("");
    }
    printf("%2$s %1$s %2$*3$s|\n", "first", "second", 9);
}

static void floats(void) {
    static const double numbers[] = {0, 1, -2.5, 3.14159265358979, 1e-7, 123456.789, 1e20, -9.99999e-5, 0.5};
    static const char *const formats[] = {"%f", "%.0f", "%#.0f", "%e", "%.2E", "%g", "%#g", "%G", "%10.3f|",
        "%-10.3f|", "%+.1f", "%010.2f", "%a", "%.2a", "%.10g"};
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++) {
        printf("%-8s", formats[f]);
        for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) putchar(' '), printf(formats[f], numbers[i]);
        puts("");
    }
}

static void scans(void) {
    int a = -1, b = -1, c = -1, n = -1, count;
    unsigned u = 0, x = 0, o = 0;
    count = sscanf("12 -34 0x1f", "%d%d%i%n", &a, &b, &c, &n);
    printf("%d: %d %d %d, %d read\n", count, a, b, c, n);
    count = sscanf("ff 17 4294967295", "%x %o %u", &x, &o, &u);
    printf("%d: %u %u %u\n", count, x, o, u);
    char word[20] = "", rest[40] = "", letter = 0, set[20] = "";
    count = sscanf("  hello, world: abc123xyz", "%5s,%*s %c%*[bc]%[0-9]%39[^\n]", word, &letter, set, rest);
    printf("%d: <%s> <%c> <%s> <%s>\n", count, word, letter, set, rest);
    double d = 0;
    float f = 0;
    long double l = 0;
    count = sscanf("3.25e2 -.5 0x1.8p3 inf", "%lf %f %Lf", &d, &f, &l);
    printf("%d: %g %g %Lg\n", count, d, f, l);
    short s = 0;
    signed char h = 0;
    long long q = 0;
    count = sscanf("70000 300 -9223372036854775808", "%hd %hhd %lld", &s, &h, &q);
    printf("%d: %d %d %lld\n", count, s, h, q);
    int year = 0, month = 0, day = 0;
    static const char *const dates[] = {"2024-02-29", "1999-1-3", "2024/02/29", "x", "", "2024-", "12345678"};
    for (unsigned i = 0; i < sizeof dates / sizeof *dates; i++) {
        year = month = day = 0;
        count = sscanf(dates[i], "%4d-%2d-%2d", &year, &month, &day);
        printf("%d: %d %d %d\n", count, year, month, day);
    }
}

int main(void) {
    integers();
    texts();
    floats();
    scans();
}
