// Where a program ends, and what it leaves: the data memory.
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <stdint.h>
#include <string.h>

static void end(void)
{
    cli();
    sleep_mode();
    for (;;)
        ;
}
