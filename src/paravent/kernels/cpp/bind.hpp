// How arrays, tuples and callbacks of Python become what the kernels take, and how their results go back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace paravent {

template <class T> using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Matrix = In2<int32_t>;

template <class T> nb::ndarray<nb::numpy, T> give(std::vector<T> values, std::vector<size_t> shape = {}) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {kept->size()};
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}
template <class... T> nb::tuple give_all(std::vector<T>&... values) {
    return nb::make_tuple(give(std::move(values))...);
}

template <class T> std::vector<T> taken(const In<T>& array) { return {array.data(), array.data() + array.size()}; }

// Fields of a tuple, each by its type: numbers and enums; vectors, copied from arrays or made of a list; pointers into
// arrays, which the caller keeps alive and which are refused where they would have to be converted.
template <class T> void take(nb::handle from, T& to) {
    if constexpr (std::is_enum_v<T>) to = static_cast<T>(nb::cast<int>(from));
    else to = nb::cast<T>(from);
}
template <class T> void take(nb::handle from, const T*& to) { to = nb::cast<In<T>>(from, false).data(); }
template <class T> void take(nb::handle from, std::vector<T>& to) {
    if constexpr (std::is_arithmetic_v<T>) {
        to = taken(nb::cast<In<T>>(from));
    } else {
        for (nb::handle item : nb::cast<nb::list>(from)) take(item, to.emplace_back());
    }
}
template <class... T> void unpack(nb::handle from, T&... fields) {
    const nb::tuple tuple = nb::cast<nb::tuple>(from);
    if (tuple.size() != sizeof...(fields)) throw std::runtime_error("a tuple has another number of fields");
    size_t i = 0;
    (take(tuple[i++], fields), ...);
}

// A callback that also hears Ctrl-C.
inline std::function<void(double)> heard(nb::object watch) {
    if (watch.is_none()) return {};
    return [watch](double done) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        watch(done);
    };
}

// A question about two numbers; none: an empty function.
inline std::function<bool(int32_t, int32_t)> asked(nb::object judge) {
    if (judge.is_none()) return {};
    return [judge](int32_t a, int32_t b) {
        nb::gil_scoped_acquire gil;
        return nb::cast<bool>(judge(a, b));
    };
}

// What some work gives, done without the interpreter's lock.
template <class Work> auto unlocked(Work work) {
    nb::gil_scoped_release free;
    return work();
}

// A function of the module with the names of its arguments.
template <class Function, size_t n, size_t... i>
void define(nb::module_& m, const char* name, Function f, const char* const (&names)[n], std::index_sequence<i...>) {
    m.def(name, f, nb::arg(names[i]).none()...);
}
template <class Function, size_t n>
void define(nb::module_& m, const char* name, Function f, const char* const (&names)[n]) {
    define(m, name, f, names, std::make_index_sequence<n>());
}

inline bool has_v3() {
#if defined(PARAVENT_HAS_V3)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}
#if defined(PARAVENT_HAS_V3)
#define PARAVENT_BEST(function, portable) (!(portable) && has_v3() ? v3::function : v2::function)
#else
#define PARAVENT_BEST(function, portable) ((void)(portable), v2::function)
#endif

}  // namespace paravent
