// The product of a matrix of 64 x 4 and one of 4 x 4, in binary32. Each lane has a row: v8 to v11 before, v16 to v19 after. Lane 4 i + j of v1
// has the element i, j of the other matrix.
// A small number n is 2^23 + n as a float, whose bits are 0x4b000000 + n, less 2^23.
.macro FLOAT to, from
v_and_b32 \to, 7, \from
v_or_b32 \to, 0x4b000000, \to
v_subrev_f32 \to, 0x4b000000, \to
.endm
.macro TERM to, from, lane
v_readlane_b32 s0, v1, \lane
v_mac_f32 \to, s0, \from
.endm
.macro COLUMN to, a, b, c, d
v_and_b32 \to, 0, \to
TERM \to, v8, \a
TERM \to, v9, \b
TERM \to, v10, \c
TERM \to, v11, \d
.endm

v_mbcnt_lo_u32_b32 v0, -1, 0
v_mbcnt_hi_u32_b32 v0, -1, v0
v_mul_u32_u24 v2, 3, v0
FLOAT v1, v2
v_add_i32 v3, vcc, 1, v0
v_add_i32 v4, vcc, 2, v0
v_add_i32 v5, vcc, 3, v0
FLOAT v8, v0
FLOAT v9, v3
FLOAT v10, v4
FLOAT v11, v5
COLUMN v16, 0, 4, 8, 12
COLUMN v17, 1, 5, 9, 13
COLUMN v18, 2, 6, 10, 14
COLUMN v19, 3, 7, 11, 15
