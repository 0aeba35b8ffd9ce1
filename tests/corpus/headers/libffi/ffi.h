#include <ffitarget.h>
