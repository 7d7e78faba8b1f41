// Branch and bound over which minimal groups of a class are open. Plain version: tests/kernels/twins/exact.py.
#pragma once

#include "minimal_groups.hpp"

namespace paravent {

// Groups by worth, those worth most first.
class GroupSearch {
    enum Status : uint8_t { free_, open_, closed_ };
    const SplitClass& s_;
    const int64_t n_ = s_.n, k_;
    const size_t g_ = s_.by_worth.size(), words_ = (g_ + 63) / 64;
    std::vector<uint64_t> inside_ = std::vector<uint64_t>(n_ * words_);  // tuple x groups, as bits
    std::vector<int32_t> home_ = std::vector<int32_t>(n_);
    std::vector<int64_t> count_;
    int64_t most_ = 0;

    const MinimalGroup& group(size_t g) const { return *s_.by_worth[g]; }
    bool in(size_t g, int64_t i) const { return inside_[i * words_ + g / 64] >> (g % 64) & 1; }

    // Every tuple to the group worth most of those allowed; false where it is in none.
    template <class Allowed> bool settle(Allowed allowed) {
        std::vector<uint64_t> bits(words_, 0);
        for (size_t g = 0; g < g_; ++g) bits[g / 64] |= uint64_t{allowed(g)} << (g % 64);
        count_.assign(g_, 0);
        most_ = 0;
        for (int64_t i = 0; i < n_; ++i) {
            uint64_t here = 0;
            size_t w = 0;
            while (w < words_ && !(here = inside_[i * words_ + w] & bits[w])) ++w;
            if (!here) return false;
            home_[i] = static_cast<int32_t>(w * 64 + __builtin_ctzll(here));
            count_[home_[i]] += s_.rows[i];
            most_ += group(home_[i]).worth * s_.rows[i];
        }
        return true;
    }

    bool bound(const std::vector<uint8_t>& status) {
        if (std::count(status.begin(), status.end(), open_) * k_ > s_.total) return false;
        if (!settle([&](size_t g) { return status[g] != closed_; })) return false;
        std::vector<int32_t> others;
        for (size_t g = 0; g < g_; ++g) {
            if (status[g] != open_ || count_[g] >= k_) continue;
            int64_t missing = k_ - count_[g];
            others.clear();
            for (int32_t i : group(g).members)
                if (home_[i] != static_cast<int32_t>(g)) others.push_back(i);
            std::sort(others.begin(), others.end(), [&](int32_t a, int32_t b) { return home_[a] > home_[b]; });
            for (int32_t i : others) {
                const int64_t moved = std::min(missing, s_.rows[i]);
                most_ -= moved * (group(home_[i]).worth - group(g).worth);
                missing -= moved;
                if (!missing) break;
            }
            if (missing) return false;
        }
        return true;
    }

    bool fetch(std::vector<std::vector<int64_t>>& taken, std::vector<int64_t>& held, const std::vector<size_t>& opened,
               size_t into) const {
        const size_t o = opened.size();
        std::vector<size_t> to(o, o), reached{into};  // each gives to the one by which it was reached, of one tuple
        std::vector<int64_t> by(o);
        to[into] = into;
        for (size_t at = 0; at < reached.size(); ++at)
            for (size_t h = 0; h < o; ++h)
                for (int64_t i = 0; i < n_ && to[h] == o; ++i) {
                    if (taken[h][i] == 0 || !in(opened[reached[at]], i)) continue;
                    to[h] = reached[at];
                    by[h] = i;
                    reached.push_back(h);
                }
        size_t giver = o;
        for (size_t h : reached)
            if (held[h] > k_ && (giver == o || h > giver)) giver = h;
        if (giver == o) return false;
        int64_t amount = std::min(k_ - held[into], held[giver] - k_);
        for (size_t h = giver; h != into; h = to[h]) amount = std::min(amount, taken[h][by[h]]);
        for (size_t h = giver; h != into; h = to[h]) {
            taken[h][by[h]] -= amount;
            taken[to[h]][by[h]] += amount;
        }
        held[giver] -= amount;
        held[into] += amount;
        return true;
    }

    // The best partition into just these groups, each with k rows.
    Split filled(const std::vector<size_t>& opened) {
        std::vector<int32_t> place(g_, -1);
        for (size_t o = 0; o < opened.size(); ++o) place[opened[o]] = static_cast<int32_t>(o);
        if (!settle([&](size_t g) { return place[g] >= 0; })) return {};
        std::vector<std::vector<int64_t>> taken(opened.size(), std::vector<int64_t>(n_, 0));
        std::vector<int64_t> held;
        for (int64_t i = 0; i < n_; ++i) taken[place[home_[i]]][i] = s_.rows[i];
        for (size_t g : opened) held.push_back(count_[g]);
        for (size_t o = 0; o < opened.size(); ++o)
            while (held[o] < k_)
                if (!fetch(taken, held, opened, o)) return {};
        Split found{s_.parts(taken), 0};
        for (size_t o = 0; o < opened.size(); ++o) found.worth += group(opened[o]).worth * held[o];
        return found;
    }

 public:
    explicit GroupSearch(const SplitClass& s, int64_t k) : s_(s), k_(k) {
        for (size_t g = 0; g < g_; ++g)
            for (int32_t i : group(g).members) inside_[i * words_ + g / 64] |= uint64_t{1} << (g % 64);
    }

    // A better partition than `best` where there is one; true where what is there then is proved.
    bool run(Split& best, int64_t nodes) {
        std::vector<std::vector<uint8_t>> waiting{std::vector<uint8_t>(g_, free_)};
        for (int64_t visited = 0; visited < nodes && !waiting.empty(); ++visited) {
            std::vector<uint8_t> status = std::move(waiting.back());
            waiting.pop_back();
            if (!bound(status) || most_ <= best.worth) continue;
            size_t at = g_;
            for (size_t g = 0; g < g_; ++g)
                if (status[g] == free_ && count_[g] > 0 && count_[g] < k_ && (at == g_ || count_[g] > count_[at]))
                    at = g;
            bool open_first = true;
            if (at < g_) {
                open_first = 2 * count_[at] >= k_;
            } else {
                std::vector<size_t> opened;
                for (size_t g = 0; g < g_; ++g) {
                    const bool used = status[g] == free_ && count_[g] > 0;
                    if (used && (at == g_ || count_[g] < count_[at])) at = g;
                    if (used || status[g] == open_) opened.push_back(g);
                }
                const int64_t most = most_;
                Split found = filled(opened);
                const bool enough = at == g_ || found.worth == most;
                if (found.worth > best.worth) best = std::move(found);
                if (enough) continue;
            }
            for (const bool opens : {!open_first, open_first}) {
                status[at] = opens ? open_ : closed_;
                waiting.push_back(status);
            }
        }
        return waiting.empty() && s_.complete;
    }
};

}  // namespace paravent
