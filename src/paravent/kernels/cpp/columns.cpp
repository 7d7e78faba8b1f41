// The Python face of the kernels that read columns as they come: texts, and codes of any unsigned type.
#include "bind.hpp"
#include "counting.hpp"
#include "texts.hpp"

namespace paravent {

using Codes = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

// Call body with the codes as uint8, uint16 or uint32; the caller has seen to it that they are one of these.
template <class Body> static auto as_typed(const Codes& codes, Body body) {
    switch (codes.dtype().bits) {
        case 8: return body(static_cast<const uint8_t*>(codes.data()));
        case 16: return body(static_cast<const uint16_t*>(codes.data()));
        case 32: return body(static_cast<const uint32_t*>(codes.data()));
        default: throw std::invalid_argument("codes must be uint8, uint16 or uint32");
    }
}

template <class T> static nb::ndarray<nb::numpy, T> give(std::unique_ptr<T[]> values, int64_t size) {
    T* kept = values.release();
    nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    const auto length = static_cast<size_t>(size);
    return nb::ndarray<nb::numpy, T>(kept, 1, &length, owner);
}

template <class Work> static auto unlocked(Work work) {
    nb::gil_scoped_release free;
    return work();
}

static ArrowArrayStream* stream_of(nb::handle capsule) {
    void* found = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
    if (found == nullptr) throw nb::python_error();
    return static_cast<ArrowArrayStream*>(found);
}

void bind_reading(nb::module_& m) {
    m.def("text_codes", [](nb::handle capsule) {
        ArrowArrayStream* stream = stream_of(capsule);
        TextCodes out = unlocked([&] { return TextCoder().run(Texts(stream)); });
        return nb::make_tuple(give(std::move(out.codes)), give(std::move(out.first)), give(std::move(out.counts)));
    });
    m.def("join_texts", [](nb::handle capsule) {
        ArrowArrayStream* stream = stream_of(capsule);
        Joined out = unlocked([&] { return join_texts(Texts(stream)); });
        return nb::make_tuple(give(std::move(out.lengths), out.rows), give(std::move(out.bytes), out.size));
    });
    m.def(
        "count_codes",
        [](const Codes& codes, int64_t size) {
            const auto n = static_cast<int64_t>(codes.size());
            return give(unlocked(
                [&] { return as_typed(codes, [&](const auto* code) { return count_codes(code, n, size); }); }));
        },
        nb::arg("codes").noconvert(), nb::arg("size"));
    m.def(
        "count_pairs",
        [](const Codes& labels, const Codes& ranks, nb::object rows, int64_t n_labels, int64_t n_ranks) {
            In<int64_t> held;
            if (!rows.is_none()) held = nb::cast<In<int64_t>>(rows, false);
            const int64_t* row = rows.is_none() ? nullptr : held.data();
            const auto n = static_cast<int64_t>(labels.size()), known = static_cast<int64_t>(ranks.size());
            return give(unlocked([&] {
                return as_typed(labels, [&](const auto* label) {
                    return as_typed(ranks, [&](const auto* rank) {
                        return count_pairs(label, n, rank, known, row, n_labels, n_ranks);
                    });
                });
            }));
        },
        nb::arg("labels").noconvert(), nb::arg("ranks").noconvert(), nb::arg("rows").none(), nb::arg("n_labels"),
        nb::arg("n_ranks"));
}

}  // namespace paravent
