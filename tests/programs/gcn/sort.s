// Sorts a number in each lane by counting the smaller ones: v1 before, v4 after. No two numbers are equal.
v_mbcnt_lo_u32_b32 v0, -1, 0
v_mbcnt_hi_u32_b32 v0, -1, v0
v_mul_u32_u24 v1, 0x4d, v0
v_xor_b32 v1, 0x155, v1
v_and_b32 v2, 0, v2
v_and_b32 v5, 0, v5
// A number that is less leaves a borrow in the lanes with greater ones.
.irp lane, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
v_readlane_b32 s0, v1, \lane
v_sub_i32 v3, vcc, s0, v1
v_addc_u32 v2, vcc, v2, v5, vcc
.endr
.irp lane, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
v_readlane_b32 s0, v1, \lane
v_readlane_b32 m0, v2, \lane
v_writelane_b32 v4, s0, m0
.endr
