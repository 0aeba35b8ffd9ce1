#define ARCH_AARCH64 1
#define ARCH_ARM 0
#define PREFIX 0
#define PRIVATE_PREFIX dav1d_
#define HAVE_AS_FUNC 0
#define CONFIG_8BPC 1
#define CONFIG_16BPC 1
