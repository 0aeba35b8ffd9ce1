// Fibonacci numbers, each by recursion on the stack, with a line for each.
    .equ COUNT, 21
    .equ WRITE, 64
    .equ EXIT, 93

    .text
    .globl _start
_start:
    mov x19, #0
1:  mov x0, x19
    bl fibonacci
    mov x20, x0
    bl print
    add x19, x19, #1
    cmp x19, #COUNT
    b.lo 1b
    // The last byte of the last number.
    and x0, x20, #255
    mov x8, #EXIT
    svc #0

fibonacci:
    cmp x0, #2
    b.lo 1f
    stp x29, x30, [sp, #-32]!
    stp x19, x20, [sp, #16]
    mov x29, sp
    mov x19, x0
    sub x0, x19, #1
    bl fibonacci
    mov x20, x0
    sub x0, x19, #2
    bl fibonacci
    add x0, x0, x20
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #32
1:  ret

// Writes x0 in decimal, and a line end.
print:
    sub sp, sp, #32
    add x1, sp, #31
    mov w2, #'\n'
    strb w2, [x1]
    mov x2, #10
1:  udiv x3, x0, x2
    msub x4, x3, x2, x0
    add w4, w4, #'0'
    strb w4, [x1, #-1]!
    mov x0, x3
    cbnz x0, 1b
    mov x0, #1
    add x2, sp, #32
    sub x2, x2, x1
    mov x8, #WRITE
    svc #0
    add sp, sp, #32
    ret
