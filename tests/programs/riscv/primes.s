# The primes below 200, in decimal, ten on each line: a sieve, and a buffer that is written at once.
    .equ LIMIT, 200
    .equ WRITE, 64
    .equ EXIT, 93

    .text
    .globl _start
_start:
    la s0, sieve
    la s1, buffer
    mv s2, s1
    li s3, LIMIT
    li s4, 2                    # a number
    li s5, 0                    # the primes so far
next:
    add t0, s0, s4
    lbu t1, 0(t0)
    bnez t1, composite
    mv a0, s4
    jal decimal
    addi s5, s5, 1
    li t0, 10
    remu t0, s5, t0
    li t1, ' '
    bnez t0, 1f
    li t1, '\n'
1:  sb t1, 0(s2)
    addi s2, s2, 1
    mul t0, s4, s4
    li t2, 1
2:  bgeu t0, s3, composite
    add t1, s0, t0
    sb t2, 0(t1)
    add t0, t0, s4
    j 2b
composite:
    addi s4, s4, 1
    bltu s4, s3, next

    li t0, '\n'
    sb t0, 0(s2)
    addi s2, s2, 1
    li a0, 1
    mv a1, s1
    sub a2, s2, s1
    li a7, WRITE
    ecall
    mv a0, s5
    li a7, EXIT
    ecall

# Appends a0 to the buffer.
decimal:
    addi sp, sp, -32
    addi t0, sp, 32
    mv t3, t0
    li t1, 10
1:  remu t2, a0, t1
    divu a0, a0, t1
    addi t2, t2, '0'
    addi t0, t0, -1
    sb t2, 0(t0)
    bnez a0, 1b
2:  lbu t2, 0(t0)
    sb t2, 0(s2)
    addi t0, t0, 1
    addi s2, s2, 1
    bltu t0, t3, 2b
    addi sp, sp, 32
    ret

    .bss
sieve:
    .zero LIMIT
buffer:
    .zero 1024
