// How arguments of Python become those of a kernel, and how results go back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <sstream>

#include "texts.hpp"

namespace nb = nanobind;

namespace paravent {

template <class T> using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T, class = void> constexpr bool has_fields = false;
template <class T> constexpr bool has_fields<T, std::void_t<decltype(T::names)>> = true;

// A result: vectors of numbers as arrays, of anything else as lists; a struct with fields as their tuple.
template <class T> nb::object give(T value);
template <class T> nb::object give(std::vector<T> values) {
    if constexpr (std::is_arithmetic_v<T>) {
        auto* kept = new std::vector<T>(std::move(values));
        nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
        return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), {kept->size()}, owner));
    } else {
        nb::list list;
        for (T& value : values) list.append(give(std::move(value)));
        return std::move(list);
    }
}
template <class T> nb::object give(T value) {
    if constexpr (has_fields<T>)
        return std::apply([](auto&... field) { return nb::make_tuple(give(std::move(field))...); }, value.fields());
    else return nb::cast(value);
}

template <class T> void take(nb::handle from, T& to);
// A pointer into an array, which is refused where it would have to be converted, or where nobody keeps it; None: null.
template <class T> void take(nb::handle from, const T*& to) {
    if (from.is_none()) return;
    if (Py_REFCNT(from.ptr()) < 2) throw std::runtime_error("an array is gone before a kernel reads it");
    to = nb::cast<In<T>>(from, false).data();
}
template <class T> void take(nb::handle from, std::vector<T>& to) {
    if constexpr (std::is_arithmetic_v<T>) {
        const auto array = nb::cast<In<T>>(from);
        to.assign(array.data(), array.data() + array.size());
    } else {
        for (nb::handle item : nb::cast<nb::list>(from)) take(nb::borrow(item), to.emplace_back());
    }
}
// A pointer into an array of one of several types.
template <class... T> void take(nb::handle from, std::variant<const T*...>& to) {
    const bool known = ((nb::isinstance<In<T>>(from) && (take(from, to.template emplace<const T*>()), true)) || ...);
    if (!known) throw std::invalid_argument("an array has another type than its kernel takes");
}
// An array that the kernel fills.
inline void take(nb::handle from, uint8_t*& to) {
    to = nb::cast<nb::ndarray<uint8_t, nb::c_contig, nb::device::cpu>>(from, false).data();
}
inline void take(nb::handle from, ArrowArrayStream*& to) {
    to = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(from.ptr(), "arrow_array_stream"));
    if (to == nullptr) throw nb::python_error();
}
// A callback, which hears of Ctrl-C.
template <class R, class... A> void take(nb::handle from, std::function<R(A...)>& to) {
    to = [callback = nb::borrow(from)](A... arguments) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        const nb::object answer = callback(give(arguments)...);
        if constexpr (!std::is_void_v<R>) {
            R taken{};
            take(answer, taken);
            return taken;
        }
    };
}
// A struct by its fields, which are entries of a dictionary or attributes; None leaves one as it is.
template <class T> void take(nb::handle from, T& to) {
    if constexpr (std::is_enum_v<T>) {
        to = static_cast<T>(nb::cast<int>(from));
    } else if constexpr (has_fields<T>) {
        const bool entries = nb::isinstance<nb::dict>(from);
        std::istringstream names(T::names);
        const auto take_next = [&](auto& field) {
            std::string name;
            std::getline(names >> std::ws, name, ',');
            name.erase(0, name.rfind('.') + 1);
            const nb::object value = entries ? nb::object(from[name.c_str()]) : nb::object(from.attr(name.c_str()));
            if (!value.is_none()) take(value, field);
        };
        std::apply([&](auto&... field) { (take_next(field), ...); }, to.fields());
    } else {
        to = nb::cast<T>(from);
    }
}

// A kernel of one problem takes its fields by name, any other one its arguments in their order. It works without the
// interpreter's lock.
template <class R, class... A> void define(nb::module_& m, const char* name, R (*kernel)(A...)) {
    m.def(name, [kernel](nb::args in_order, nb::kwargs by_name) {
        std::tuple<std::decay_t<A>...> given;
        size_t next = 0;
        if (in_order.size() == 0) take(by_name, std::get<0>(given));
        else std::apply([&](auto&... to) { (take(nb::object(in_order[next++]), to), ...); }, given);
        return give([&] {
            nb::gil_scoped_release free;
            return std::apply(kernel, given);
        }());
    });
}

}  // namespace paravent
