/* Disassembles a file of bytes: disasm SET GENERATION FILE, with "-" where an instruction set has one generation. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isadl.h"

/* Says why a call failed, in as many bytes as that takes. */
static int complain(const char *what)
{
    size_t length = isadl_message(NULL, 0) + 1;
    char *message = malloc(length);
    if (message != NULL) {
        isadl_message(message, length);
        fprintf(stderr, "%s: %s\n", what, message);
        free(message);
    }
    return EXIT_FAILURE;
}

static unsigned char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        bytes = size < 0 ? NULL : malloc((size_t)size + 1);
        if (bytes != NULL)
            *length = fread(bytes, 1, (size_t)size, file);
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

/* What an instruction reads and writes, and where it may go. */
static void print_facts(const isadl_set *set, const isadl_inst *inst, uint64_t address)
{
    isadl_use uses[64];
    size_t count = isadl_uses(set, inst, uses, 64);
    uint64_t target;
    for (size_t at = 0; at < count && at < 64; at++) {
        char name[32];
        const char *verb = uses[at].access == ISADL_ACCESS_READ ? "reads" : "writes";
        if (uses[at].kind == ISADL_USE_KIND_REGISTERS) {
            isadl_register_file_name(set, uses[at].file, name, sizeof name);
            printf("  %s %s[%" PRIu32 "]", verb, name, uses[at].number);
        } else if (uses[at].kind == ISADL_USE_KIND_MEMORY) {
            printf("  %s %" PRIu32 " bits of memory", verb, uses[at].memory_width);
        }
    }
    if (isadl_flow_of(set, inst) != ISADL_FLOW_NEXT && isadl_target(set, inst, address, &target))
        printf("  to %" PRIx64, target);
}

int main(int argc, char **argv)
{
    isadl_set *set;
    size_t length = 0, at = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: disasm SET GENERATION FILE\n");
        return 2;
    }
    if (isadl_open(argv[1], strcmp(argv[2], "-") == 0 ? NULL : argv[2], NULL, &set) != ISADL_STATUS_OK)
        return complain(argv[1]);
    unsigned char *bytes = read_file(argv[3], &length);
    if (bytes == NULL) {
        perror(argv[3]);
        isadl_close(set);
        return EXIT_FAILURE;
    }
    while (at < length) {
        isadl_inst inst;
        uint64_t address = at;
        char text[256];
        if (isadl_decode(set, bytes + at, length - at, &inst) == ISADL_STATUS_OK) {
            isadl_text(set, &inst, &address, text, sizeof text);
            printf("%6zx  %-40s", at, text);
            print_facts(set, &inst, address);
            putchar('\n');
        } else {
            isadl_reason(set, bytes + at, length - at, text, sizeof text);
            printf("%6zx  ? %s\n", at, text);
        }
        at += inst.length;
    }
    free(bytes);
    isadl_close(set);
    return EXIT_SUCCESS;
}
