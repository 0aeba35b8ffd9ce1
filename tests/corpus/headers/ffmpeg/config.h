#define ARCH_AARCH64 1
#define ARCH_ARM 0
#define HAVE_NEON 1
#define HAVE_VFP 1
#define HAVE_ARMV8 1
#define HAVE_AS_FUNC 0
#define HAVE_SECTION_DATA_REL_RO 1
#define EXTERN_PREFIX
#define EXTERN_ASM
#define CONFIG_PIC 1
