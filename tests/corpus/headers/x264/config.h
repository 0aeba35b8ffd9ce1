#define HAVE_NEON 1
#define SYS_LINUX 1
#define HAVE_AS_FUNC 0
#define ARCH_AARCH64 1
#define BIT_DEPTH 8
#define HIGH_BIT_DEPTH 0
#define STACK_ALIGNMENT 16
