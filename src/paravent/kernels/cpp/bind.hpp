// How keyword arguments of Python become the fields of a problem, and how results go back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "guard.hpp"

namespace nb = nanobind;

namespace paravent {

template <class T> using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T> nb::ndarray<nb::numpy, T> give(std::vector<T> values, std::vector<size_t> shape = {}) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {kept->size()};
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}
template <class... T> nb::tuple give_all(std::vector<T>&... values) {
    return nb::make_tuple(give(std::move(values))...);
}

// A field by its type: numbers and enums; pointers into arrays, which the caller keeps alive and which are refused
// where they would have to be converted; vectors, copied from arrays or made of a list; callbacks.
template <class T> void take(nb::handle from, T& to) {
    if constexpr (std::is_enum_v<T>) to = static_cast<T>(nb::cast<int>(from));
    else to = nb::cast<T>(from);
}
template <class T> void take(nb::handle from, const T*& to) { to = nb::cast<In<T>>(from, false).data(); }
template <class T> void take(nb::handle from, std::vector<T>& to) {
    if constexpr (std::is_arithmetic_v<T>) {
        const auto array = nb::cast<In<T>>(from);
        to.assign(array.data(), array.data() + array.size());
    } else {
        for (nb::handle item : nb::cast<nb::list>(from)) take(item, to.emplace_back());
    }
}
// The share of work that is done goes out; Ctrl-C is heard.
inline void take(nb::handle from, std::function<void(double)>& to) {
    to = [watch = nb::borrow(from)](double done) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        watch(done);
    };
}
inline void take(nb::handle from, std::function<bool(int32_t, int32_t)>& to) {
    to = [judge = nb::borrow(from)](int32_t a, int32_t b) {
        nb::gil_scoped_acquire gil;
        return nb::cast<bool>(judge(a, b));
    };
}
inline void take(nb::handle from, std::function<bool(const std::vector<int32_t>&)>& to) {
    to = [judge = nb::borrow(from)](const std::vector<int32_t>& members) {
        nb::gil_scoped_acquire gil;
        return nb::cast<bool>(judge(give(members)));
    };
}
inline void take(nb::handle from, Guard& to) {
    to = [guard = nb::borrow(from)](const std::vector<int64_t>& sizes, const std::vector<Histograms>& histograms) {
        nb::gil_scoped_acquire gil;
        nb::list parts;
        for (const Histograms& h : histograms)
            parts.append(nb::make_tuple(give(h.start), give(h.value), give(h.count)));
        std::vector<uint8_t> mask;
        take(guard(give(sizes), parts), mask);
        if (mask.size() != sizes.size()) throw std::runtime_error("the guard judged another number of groups");
        return mask;
    };
}
template <class... T> void unpack(nb::handle from, T&... fields) {
    const nb::tuple tuple = nb::cast<nb::tuple>(from);
    if (tuple.size() != sizeof...(fields)) throw std::runtime_error("a tuple has another number of fields");
    size_t i = 0;
    (take(tuple[i++], fields), ...);
}

// The arguments of a call: from("k", p.k)("watch", p.watch). None leaves a field as it is.
class Given {
    nb::kwargs from_;

 public:
    explicit Given(nb::kwargs from) : from_(std::move(from)) {}

    template <class T> const Given& operator()(const char* name, T& to) const {
        const nb::object value = from_[name];
        if (!value.is_none()) take(value, to);
        return *this;
    }
    // An array with the number of its rows, a matrix with that of its columns too.
    template <class T, class... N>
    const Given& operator()(const char* name, const T*& to, int64_t& rows, N&... columns) const {
        const auto array = nb::cast<In<T>>(from_[name], false);
        to = array.data();
        rows = static_cast<int64_t>(array.shape(0));
        ((columns = static_cast<N>(array.shape(1))), ...);
        return *this;
    }
};

// What some work gives, done without the interpreter's lock.
template <class Work> auto unlocked(Work work) {
    nb::gil_scoped_release free;
    return work();
}

template <class Kernel> void define(nb::module_& m, const char* name, Kernel kernel) {
    m.def(name, [kernel](nb::kwargs from) { return kernel(Given(std::move(from))); });
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
