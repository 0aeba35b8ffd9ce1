/* Executes a static program for Linux by the description of its instruction set: run SET GENERATION PROGRAM [ARGUMENT]…, where GENERATION
 * is - if the set has one. Ends as the program does, and says how many instructions it took. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isadl.h"

static int failed(void)
{
    char message[1000];
    isadl_message(message, sizeof message);
    fprintf(stderr, "%s\n", message);
    return 1;
}

static uint8_t *contents(const char *path, size_t *length)
{
    FILE *stream = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (!stream)
        return NULL;
    fseek(stream, 0, SEEK_END);
    *length = (size_t)ftell(stream);
    rewind(stream);
    bytes = malloc(*length);
    if (bytes && fread(bytes, 1, *length, stream) != *length) {
        free(bytes);
        bytes = NULL;
    }
    fclose(stream);
    return bytes;
}

/* Copies what the program wrote. */
static void copy(const isadl_program *program, int number, FILE *stream)
{
    size_t length = isadl_program_output(program, number, NULL, 0);
    char *text = malloc(length + 1);
    if (!text)
        return;
    isadl_program_output(program, number, text, length + 1);
    fwrite(text, 1, length, stream);
    free(text);
}

int main(int argc, char **argv)
{
    isadl_set *set = NULL;
    isadl_program *program = NULL;
    isadl_start start = {NULL, 0, NULL, 0};
    isadl_event event;
    int32_t status = 1;
    size_t length = 0;
    uint8_t *file;
    if (argc < 4) {
        fputs("usage: run SET GENERATION PROGRAM [ARGUMENT]...\n", stderr);
        return 2;
    }
    if (isadl_open(argv[1], strcmp(argv[2], "-") ? argv[2] : NULL, NULL, &set) != ISADL_STATUS_OK)
        return failed();
    file = contents(argv[3], &length);
    if (!file) {
        perror(argv[3]);
        return 1;
    }
    start.args = (const char *const *)argv + 4;
    start.arg_count = (size_t)argc - 4;
    if (isadl_program_open(set, file, length, &start, &program) != ISADL_STATUS_OK)
        return failed();
    free(file);
    do {
        if (isadl_program_run(program, 1000000, &event, &status) != ISADL_STATUS_OK)
            return failed();
    } while (event == ISADL_EVENT_FUEL);
    copy(program, 1, stdout);
    copy(program, 2, stderr);
    fprintf(stderr, "%" PRIu64 " instructions\n", isadl_program_count(program));
    if (event == ISADL_EVENT_HALT)
        status = failed();
    isadl_program_close(program);
    isadl_close(set);
    return status;
}
