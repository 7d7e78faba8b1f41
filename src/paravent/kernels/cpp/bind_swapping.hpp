// The Python face of swapping.hpp; included by module.cpp.
#pragma once

#include "bind.hpp"
#include "swapping.hpp"

static nb::object rank_partners_of(In<int64_t> start, In<int64_t> window, In<double> draw) {
    const auto groups = static_cast<int64_t>(window.size());
    return nb::cast(give(unlocked([&] { return rank_partners(start.data(), window.data(), groups, draw.data()); })));
}

static nb::object area_partners_of(In<int32_t> group, In<int32_t> area, In<int64_t> weight, In<int64_t> seekers,
                                   In<double> draw, int64_t most) {
    const auto count = static_cast<int64_t>(seekers.size());
    return nb::cast(give(unlocked([&] {
        return area_partners(group.data(), area.data(), taken(weight), seekers.data(), draw.data(), count, most);
    })));
}

static void bind_swapping(nb::module_& m) {
    define(m, "rank_partners", &rank_partners_of, {"start", "window", "draw"});
    define(m, "area_partners", &area_partners_of, {"group", "area", "weight", "seekers", "draw", "most"});
}
