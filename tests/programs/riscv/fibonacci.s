# Fibonacci numbers, each by recursion on the stack, with a line for each.
    .equ COUNT, 21
    .equ WRITE, 64
    .equ EXIT, 93

    .text
    .globl _start
_start:
    li s0, 0
1:  mv a0, s0
    call fibonacci
    mv s1, a0
    call print
    addi s0, s0, 1
    li t0, COUNT
    bltu s0, t0, 1b
    # The last byte of the last number.
    andi a0, s1, 255
    li a7, EXIT
    ecall

fibonacci:
    li t0, 2
    bltu a0, t0, 1f
    addi sp, sp, -32
    sd ra, 24(sp)
    sd s0, 16(sp)
    sd s1, 8(sp)
    mv s0, a0
    addi a0, s0, -1
    call fibonacci
    mv s1, a0
    addi a0, s0, -2
    call fibonacci
    add a0, a0, s1
    ld ra, 24(sp)
    ld s0, 16(sp)
    ld s1, 8(sp)
    addi sp, sp, 32
1:  ret

# Writes a0 in decimal, and a line end.
print:
    addi sp, sp, -32
    addi t0, sp, 31
    li t1, '\n'
    sb t1, 0(t0)
    li t1, 10
1:  remu t2, a0, t1
    divu a0, a0, t1
    addi t2, t2, '0'
    addi t0, t0, -1
    sb t2, 0(t0)
    bnez a0, 1b
    li a0, 1
    mv a1, t0
    addi a2, sp, 32
    sub a2, a2, t0
    li a7, WRITE
    ecall
    addi sp, sp, 32
    ret
