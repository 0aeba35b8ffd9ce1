// The primes below 200, in decimal, ten on each line: a sieve, and a buffer that is written at once.
    .equ LIMIT, 200
    .equ WRITE, 64
    .equ EXIT, 93

    .text
    .globl _start
_start:
    adrp x19, sieve
    add x19, x19, :lo12:sieve
    adrp x20, buffer
    add x20, x20, :lo12:buffer
    mov x21, x20
    mov x22, #2                 // a number
    mov x23, #0                 // the primes so far
    mov x24, #10
next:
    ldrb w0, [x19, x22]
    cbnz w0, composite
    mov x0, x22
    bl decimal
    add x23, x23, #1
    udiv x0, x23, x24
    msub x0, x0, x24, x23
    mov w1, #'\n'
    mov w2, #' '
    cmp x0, #0
    csel w1, w1, w2, eq
    strb w1, [x21], #1
    mul x0, x22, x22
    mov w1, #1
    b 2f
1:  strb w1, [x19, x0]
    add x0, x0, x22
2:  cmp x0, #LIMIT
    b.lo 1b
composite:
    add x22, x22, #1
    cmp x22, #LIMIT
    b.lo next

    mov w0, #'\n'
    strb w0, [x21], #1
    mov x0, #1
    mov x1, x20
    sub x2, x21, x20
    mov x8, #WRITE
    svc #0
    mov x0, x23
    mov x8, #EXIT
    svc #0

// Appends x0 to the buffer.
decimal:
    sub sp, sp, #32
    add x1, sp, #32
    mov x2, x1
1:  udiv x3, x0, x24
    msub x4, x3, x24, x0
    add w4, w4, #'0'
    strb w4, [x1, #-1]!
    mov x0, x3
    cbnz x0, 1b
2:  ldrb w4, [x1], #1
    strb w4, [x21], #1
    cmp x1, x2
    b.lo 2b
    add sp, sp, #32
    ret

    .bss
sieve:
    .zero LIMIT
buffer:
    .zero 1024
