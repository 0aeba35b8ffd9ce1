// Base64 and UTF-8, both ways, with their errors; a cipher, Roman numerals, a dump.
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(const uint8_t *from, size_t size, char *to) {
    char *start = to;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)from[i] << 16;
        if (i + 1 < size) group |= (uint32_t)from[i + 1] << 8;
        if (i + 2 < size) group |= from[i + 2];
        for (int k = 0; k < 4; k++) *to++ = i + (size_t)k > size ? '=' : letters[group >> (18 - 6 * k) & 63];
    }
    *to = 0;
    return (size_t)(to - start);
}

// The number of bytes, or minus the place of an error.
static long decode(const char *from, uint8_t *to) {
    uint32_t group = 0;
    long count = 0, size = 0;
    for (const char *at = from; *at && *at != '='; at++) {
        const char *place = strchr(letters, *at);
        if (!place) return from - at - 1;
        group = group << 6 | (uint32_t)(place - letters);
        if (++count % 4) to[size++] = (uint8_t)(group >> (6 - 2 * (count % 4 - 1)) & 255);
        if (count % 4 == 1) size--;
        if (count % 4 == 0) to[size++] = (uint8_t)group;
    }
    return size;
}

static int put(uint32_t code, uint8_t *to) {
    if (code < 0x80) return to[0] = (uint8_t)code, 1;
    int count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = count - 1; i > 0; i--, code >>= 6) to[i] = (uint8_t)(0x80 | (code & 63));
    to[0] = (uint8_t)(0xf00 >> count | code);
    return count;
}

// The length of what is at the beginning; a code of -1 if it is not UTF-8.
static int get(const uint8_t *from, size_t size, int32_t *code) {
    uint8_t first = from[0];
    int count = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    *code = -1;
    if (count == 0 || (size_t)count > size) return 1;
    int32_t result = count == 1 ? from[0] : from[0] & (0x7f >> count);
    for (int i = 1; i < count; i++) {
        if ((from[i] & 0xc0) != 0x80) return i;
        result = result << 6 | (from[i] & 63);
    }
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (result >= least[count] && result < 0x110000 && (result < 0xd800 || result > 0xdfff)) *code = result;
    return count;
}

static void utf8(void) {
    unsigned wrong = 0;
    uint32_t sum = 0;
    for (uint32_t code = 0; code < 0x110000; code += code < 0x1000 ? 7 : 1021) {
        uint8_t bytes[4];
        int32_t back;
        int count = put(code, bytes);
        wrong += get(bytes, 4, &back) != count || (back != (int32_t)code && (code < 0xd800 || code > 0xdfff));
        for (int i = 0; i < count; i++) sum = sum * 257 + bytes[i];
    }
    printf("wrong %u, sum %08x\n", wrong, sum);
    static const char *const texts[] = {"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80!", "\xc0\xaf\xe0\x80\xaf",
        "\xed\xa0\x80 \xf4\x90\x80\x80", "cut \xe2\x82"};
    for (int i = 0; i < 4; i++) {
        size_t size = strlen(texts[i]);
        for (size_t k = 0; k < size;) {
            int32_t code;
            k += (size_t)get((const uint8_t *)texts[i] + k, size - k, &code);
            if (code < 0) printf(" ?");
            else printf(" U+%04X", (unsigned)code);
        }
        puts("");
    }
}

static void roman(int number) {
    static const struct { int value; const char *text; } parts[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"},
        {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
    for (int i = 0; i < 13; i++)
        for (; number >= parts[i].value; number -= parts[i].value) fputs(parts[i].text, stdout);
    putchar(' ');
}

int main(void) {
    uint8_t bytes[256], back[300];
    char text[400];
    for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)(i * 89 + 3);
    static const char *const known[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
    for (int i = 0; i < 7; i++) encode((const uint8_t *)known[i], strlen(known[i]), text), printf("%s ", text);
    unsigned wrong = 0;
    for (size_t size = 0; size <= 256; size += 5) {
        encode(bytes, size, text);
        wrong += decode(text, back) != (long)size || memcmp(bytes, back, size) != 0;
    }
    printf("\n%s\nwrong %u, error %ld\n", text, wrong, decode("Zm9*", back));
    utf8();
    for (int i = 1; i < 4000; i = i * 3 + 1) roman(i);
    puts("");
    const char *plain = "The Quick Brown Fox, 1984.", *key = "LEMON";
    for (int i = 0; plain[i]; i++) {
        int c = toupper((unsigned char)plain[i]);
        putchar(isalpha(c) ? (c - 'A' + key[i % 5] - 'A') % 26 + 'A' : c);
    }
    puts("");
    for (int row = 0; row < 64; row += 16) {
        printf("%04x ", row);
        for (int i = row; i < row + 16; i++) printf(" %02x", bytes[i]);
        printf("  ");
        for (int i = row; i < row + 16; i++) putchar(isprint(bytes[i]) ? bytes[i] : '.');
        puts("");
    }
}
