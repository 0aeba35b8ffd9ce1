// Sums over a wave: v1 is three times the number of the lane, v2 the sum over all lanes, v3 the sum over the lanes up to each one.
v_mbcnt_lo_u32_b32 v1, -1, 0
v_mbcnt_hi_u32_b32 v1, -1, v1
v_mul_u32_u24 v1, 3, v1
v_and_b32 v2, 0, v2
.irp lane, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
v_readlane_b32 s0, v1, \lane
v_add_i32 v2, vcc, s0, v2
v_readlane_b32 s1, v2, \lane
v_writelane_b32 v3, s1, \lane
.endr
