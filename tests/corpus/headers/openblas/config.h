#define OS_LINUX 1
#define ARCH_ARM64 1
#define C_GCC 1
#define ARMV8 1
#define DTB_DEFAULT_ENTRIES 64
#define __64BIT__ 1
