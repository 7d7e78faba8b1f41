#define PARAVENT_ISA v3
#include "mondrian_impl.hpp"
