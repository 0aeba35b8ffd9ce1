#define HAVE_AS_CFI_PSEUDO_OP 1
#define HAVE_HIDDEN_VISIBILITY_ATTRIBUTE 1
#ifdef LIBFFI_ASM
#define FFI_HIDDEN(name) .hidden name
#endif
