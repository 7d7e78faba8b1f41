#define PARAVENT_ISA v2
#include "mondrian_impl.hpp"
