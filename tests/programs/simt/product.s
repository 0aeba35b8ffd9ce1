// The product of two matrices of 4 x 4 halves. Lane 4 i + j has the elements i, j of both in R1 and R2, and that of the product in R3;
// lanes from 16 on do the same again.
// A small number n is 1024 + n as a half, whose bits are 0x6400 + n, less 1024.
LOP3 R4, R0, 0x7, RZ, 0xC0, !PT ;
IADD R4, R4, 0x6400 ;
HADD2 R1, R4, 0.0, -1024.0 ;
IMAD R4, R0, 3, RZ ;
LOP3 R4, R4, 0x7, RZ, 0xC0, !PT ;
IADD R4, R4, 0x6400 ;
HADD2 R2, R4, 0.0, -1024.0 ;
// The lanes of the row's and of the column's first element.
LOP3 R5, R0, 0xC, RZ, 0xC0, !PT ;
LOP3 R6, R0, 0x3, RZ, 0xC0, !PT ;
MOV R3, RZ ;
SHFL.IDX PT, R7, R1, R5, 0x1F ;
SHFL.IDX PT, R8, R2, R6, 0x1F ;
HFMA2 R3, R7, R8, R3 ;
IADD R5, R5, 1 ;
IADD R6, R6, 4 ;
SHFL.IDX PT, R7, R1, R5, 0x1F ;
SHFL.IDX PT, R8, R2, R6, 0x1F ;
HFMA2 R3, R7, R8, R3 ;
IADD R5, R5, 1 ;
IADD R6, R6, 4 ;
SHFL.IDX PT, R7, R1, R5, 0x1F ;
SHFL.IDX PT, R8, R2, R6, 0x1F ;
HFMA2 R3, R7, R8, R3 ;
IADD R5, R5, 1 ;
IADD R6, R6, 4 ;
SHFL.IDX PT, R7, R1, R5, 0x1F ;
SHFL.IDX PT, R8, R2, R6, 0x1F ;
HFMA2 R3, R7, R8, R3 ;
