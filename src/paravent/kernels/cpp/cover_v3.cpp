#define PARAVENT_ISA v3
#include "cover_impl.hpp"
