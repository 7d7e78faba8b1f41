// The Python face of the kernels: arrays in, arrays out.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_native, m) { m.doc() = "paravent's hot loops"; }
