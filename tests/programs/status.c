// Echoes its arguments, writes to both outputs, runs what is registered for the end, and exits with a status of its
// own.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void last(void) {
    puts("the last function");
}

static void before(void) {
    fputs("the function before\n", stderr);
}

// Options with and without values, as getopt reads them.
static int options(int count, char **arguments) {
    int letter, total = 0;
    opterr = 0;
    while ((letter = getopt(count, arguments, "vn:o:")) != -1) {
        switch (letter) {
        case 'v': puts("option v"); break;
        case 'n': total += atoi(optarg); break;
        case 'o': printf("option o: %s\n", optarg); break;
        default: printf("unknown option %c\n", optopt);
        }
    }
    for (int i = optind; i < count; i++) printf("other argument: %s\n", arguments[i]);
    return total;
}

int main(int count, char **arguments) {
    atexit(last);
    atexit(before);
    // The name of the program is where it happens to be.
    printf("%d arguments, after them %s\n", count - 1, arguments[count] ? "more" : "nothing");
    uint32_t sum = 0;
    for (int i = 1; i < count; i++) {
        printf("%d: <%s> of %zu bytes\n", i, arguments[i], strlen(arguments[i]));
        for (const char *at = arguments[i]; *at; at++) sum = sum * 31 + (unsigned char)*at;
    }
    printf("sum %08x\n", sum);
    int total = options(count, arguments);
    fprintf(stderr, "to the other output: %d\n", total);
    setvbuf(stderr, NULL, _IOLBF, 100);
    fputs("a part", stderr);
    fputs(" of a line\n", stderr);
    printf("%s %d\n", getenv("NO_SUCH_VARIABLE") ? "set" : "not set", isatty(99));
    errno = 0;
    ssize_t written = write(99, "x", 1);
    printf("write: %zd, %s\n", written, errno == EBADF ? "no such file" : "other");
    errno = 0;
    perror("status");
    fflush(stdout);
    if (write(1, "without a buffer\n", 17) != 17) return 1;
    printf("written at the end");
    exit(total + 256);
}
