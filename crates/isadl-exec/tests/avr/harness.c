// What simavr does with words and programs of AVR, for the tests of `main.rs`.
//
//   harness words    reads states and words from standard input, and prints what each word leaves
//   harness program  reads an image of the program memory from a file, runs it, and prints what it leaves
//
// Lines of input: `code` and 128 digits, the bytes from address 4096 on; then `state`, the registers, the flags as a byte, and the
// stack pointer as numbers in hexadecimal. A line of output: the address in bytes, the flags, the stack pointer, the registers, and a
// checksum of the data memory from 512 on.
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 0x1000, DATA = 0x200, END = 0x2200, RAMPZ = 0x5b, EIND = 0x5c, SP_LOW = 0x5d, SP_HIGH = 0x5e };

static void fill(avr_t *avr)
{
    for (uint32_t at = 0; at <= avr->flashend; at++)
        avr->flash[at] = (uint8_t)(at * 167 + (at >> 8) * 59);
    for (uint32_t at = DATA; at < END; at++)
        avr->data[at] = (uint8_t)(at * 73 + (at >> 8) * 29);
}

static void print_state(avr_t *avr)
{
    unsigned flags = 0;
    for (int i = 0; i < 8; i++)
        flags |= (unsigned)(avr->sreg[i] & 1) << i;
    // Addresses have 22 bits and count units of two bytes.
    printf("%x %x %x", avr->pc & 0x7fffff, flags, avr->data[SP_LOW] | avr->data[SP_HIGH] << 8);
    for (int i = 0; i < 32; i++)
        printf(" %x", avr->data[i]);
    uint32_t sum = 0;
    for (uint32_t at = DATA; at < END; at++)
        sum = sum * 16777619 ^ avr->data[at];
    printf(" %x\n", sum);
}

static int run_words(avr_t *avr)
{
    char line[4096];
    fill(avr);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "code ", 5) == 0) {
            for (int i = 0; i < 64; i++) {
                unsigned byte;
                sscanf(line + 5 + 2 * i, "%2x", &byte);
                avr->flash[CODE + i] = (uint8_t)byte;
            }
            continue;
        }
        char *at = line + 5;
        for (int i = 0; i < 32; i++)
            avr->data[i] = (uint8_t)strtoul(at, &at, 16);
        unsigned long flags = strtoul(at, &at, 16), stack = strtoul(at, &at, 16);
        for (int i = 0; i < 8; i++)
            avr->sreg[i] = flags >> i & 1;
        avr->data[SP_LOW] = (uint8_t)stack;
        avr->data[SP_HIGH] = (uint8_t)(stack >> 8);
        for (uint32_t byte = DATA; byte < END; byte++)
            avr->data[byte] = (uint8_t)(byte * 73 + (byte >> 8) * 29);
        avr->data[RAMPZ] = avr->data[EIND] = 0;
        avr->state = cpu_Running;
        avr->pc = CODE;
        avr->pc = avr_run_one(avr);
        print_state(avr);
    }
    return 0;
}

static int run_program(avr_t *avr, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    size_t size = fread(avr->flash, 1, avr->flashend + 1, file);
    fclose(file);
    avr->codeend = (uint32_t)size;
    avr->pc = 0;
    // The program ends with a `sleep` that nothing wakes.
    while (avr->flash[avr->pc] != 0x88 || avr->flash[avr->pc + 1] != 0x95)
        avr->pc = avr_run_one(avr);
    print_state(avr);
    return 0;
}

int main(int argc, char **argv)
{
    avr_t *avr = avr_make_mcu_by_name("atmega2560");
    if (!avr || argc < 2)
        return 2;
    avr_init(avr);
    return strcmp(argv[1], "words") == 0 ? run_words(avr) : run_program(avr, argv[2]);
}
