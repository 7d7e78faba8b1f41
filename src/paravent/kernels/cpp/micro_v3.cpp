#define PARAVENT_ISA v3
#include "micro_impl.hpp"
