// Sums over a warp: R1 is the sum of the numbers of all lanes, by butterflies; R3 that of the lanes up to each one.
MOV R1, R0 ;
SHFL.BFLY PT, R2, R1, 1, 0x1F ;
IADD R1, R1, R2 ;
SHFL.BFLY PT, R2, R1, 2, 0x1F ;
IADD R1, R1, R2 ;
SHFL.BFLY PT, R2, R1, 4, 0x1F ;
IADD R1, R1, R2 ;
SHFL.BFLY PT, R2, R1, 8, 0x1F ;
IADD R1, R1, R2 ;
SHFL.BFLY PT, R2, R1, 16, 0x1F ;
IADD R1, R1, R2 ;

// Lanes below the distance read none, and their predicate is false.
MOV R3, R0 ;
SHFL.UP P0, R4, R3, 1, 0x0 ;
@P0 IADD R3, R3, R4 ;
SHFL.UP P0, R4, R3, 2, 0x0 ;
@P0 IADD R3, R3, R4 ;
SHFL.UP P0, R4, R3, 4, 0x0 ;
@P0 IADD R3, R3, R4 ;
SHFL.UP P0, R4, R3, 8, 0x0 ;
@P0 IADD R3, R3, R4 ;
SHFL.UP P0, R4, R3, 16, 0x0 ;
@P0 IADD R3, R3, R4 ;

// The same in one instruction, and how many lanes have an odd number.
REDUX.SUM R5, R0 ;
LOP3.PAND P1, R6, R0, 0x1, RZ, 0xC0, PT ;
VOTE.ANY R6, PT, P1 ;
POPC R6, R6 ;
