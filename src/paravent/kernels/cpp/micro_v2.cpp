#define PARAVENT_ISA v2
#include "micro_impl.hpp"
