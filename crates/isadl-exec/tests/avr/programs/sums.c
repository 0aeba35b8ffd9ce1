// Checksums of a text in program memory, and numbers of 64 bits.
#include <avr/pgmspace.h>
#include "start.h"

static const char text[] PROGMEM = "A machine that adds, and carries what is left of it.";

volatile uint32_t crc = 0xffffffff;
volatile uint16_t fletcher;
volatile uint64_t product = 1, quotient;
volatile int32_t remainders[8];

int main(void)
{
    uint8_t low = 0, high = 0;
    for (const char *at = text; pgm_read_byte(at); at++) {
        uint8_t byte = pgm_read_byte(at);
        crc ^= byte;
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        low = (uint8_t)((low + byte) % 255);
        high = (uint8_t)((high + low) % 255);
    }
    fletcher = (uint16_t)(high << 8 | low);
    for (uint8_t i = 1; i <= 20; i++)
        product *= i;
    quotient = product / 1000003;
    for (int8_t i = 0; i < 8; i++)
        remainders[i] = 0x1234567L * (i + 1) % (i - 9);
    end();
}
