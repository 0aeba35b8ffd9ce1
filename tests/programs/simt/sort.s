// Batcher's bitonic sort of a number in each lane: R1 before, R2 after.
.macro STEP size, distance
LOP3.PAND P1, R9, R0, \size, RZ, 0xC0, PT ;
LOP3.PAND P2, R9, R0, \distance, RZ, 0xC0, PT ;
SHFL.BFLY PT, R3, R2, \distance, 0x1F ;
// The lower lane of an ascending pair keeps the smaller number, and so does the upper one of a descending pair.
PLOP3 P0, P1, P2, PT, 0xC3 ;
IMNMX R2, R2, R3, P0 ;
.endm

IMAD R1, R0, 0x4D, R0 ;
LOP3 R1, R1, 0x5B, RZ, 0x3C, !PT ;
LOP3 R1, R1, 0x7F, RZ, 0xC0, !PT ;
MOV R2, R1 ;
STEP 2, 1
STEP 4, 2
STEP 4, 1
STEP 8, 4
STEP 8, 2
STEP 8, 1
STEP 16, 8
STEP 16, 4
STEP 16, 2
STEP 16, 1
STEP 32, 16
STEP 32, 8
STEP 32, 4
STEP 32, 2
STEP 32, 1
