#define PARAVENT_ISA v2
#include "cover_impl.hpp"
