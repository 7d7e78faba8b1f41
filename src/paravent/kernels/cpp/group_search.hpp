// Branch and bound over which minimal groups of a class are open. Plain version: tests/kernels/twins/exact.py.
#pragma once

#include "minimal_groups.hpp"

namespace paravent {

// Groups by worth, those worth most first.
class GroupSearch {
    enum Status : uint8_t { free_, open_, closed_ };
    const SplitClass& s_;
    const int64_t n_, k_;
    const size_t g_, words_;
    std::vector<int64_t> worth_;
    std::vector<const std::vector<int32_t>*> members_;
    std::vector<uint64_t> inside_;  // tuple x groups, as bits
    std::vector<int32_t> home_;
    std::vector<int64_t> count_;
    int64_t most_ = 0;

    bool in(size_t g, int64_t i) const { return inside_[i * words_ + g / 64] >> (g % 64) & 1; }

    bool find_homes(const std::vector<uint64_t>& allowed) {
        for (int64_t i = 0; i < n_; ++i) {
            int32_t found = -1;
            for (size_t w = 0; w < words_ && found < 0; ++w) {
                const uint64_t bits = inside_[i * words_ + w] & allowed[w];
                if (bits) found = static_cast<int32_t>(w * 64 + __builtin_ctzll(bits));
            }
            if (found < 0) return false;
            home_[i] = found;
        }
        return true;
    }

    bool bound(const std::vector<uint8_t>& status) {
        std::vector<uint64_t> allowed(words_, 0);
        int64_t opened = 0;
        for (size_t g = 0; g < g_; ++g) {
            if (status[g] != closed_) allowed[g / 64] |= uint64_t{1} << (g % 64);
            opened += status[g] == open_;
        }
        if (!find_homes(allowed) || opened * k_ > s_.total) return false;
        std::fill(count_.begin(), count_.end(), 0);
        most_ = 0;
        for (int64_t i = 0; i < n_; ++i) {
            count_[home_[i]] += s_.rows[i];
            most_ += worth_[home_[i]] * s_.rows[i];
        }
        std::vector<int32_t> others;
        for (size_t g = 0; g < g_; ++g) {
            if (status[g] != open_ || count_[g] >= k_) continue;
            int64_t missing = k_ - count_[g];
            others.clear();
            for (int32_t i : *members_[g])
                if (home_[i] != static_cast<int32_t>(g)) others.push_back(i);
            std::sort(others.begin(), others.end(), [&](int32_t a, int32_t b) { return home_[a] > home_[b]; });
            for (int32_t i : others) {
                const int64_t moved = std::min(missing, s_.rows[i]);
                most_ -= moved * (worth_[home_[i]] - worth_[g]);
                missing -= moved;
                if (!missing) break;
            }
            if (missing) return false;
        }
        return true;
    }

    bool fetch(std::vector<std::vector<int64_t>>& taken, std::vector<int64_t>& held, const std::vector<size_t>& opened,
               size_t into, int64_t missing) const {
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
        int64_t amount = std::min(missing, held[giver] - k_);
        for (size_t h = giver; h != into; h = to[h]) amount = std::min(amount, taken[h][by[h]]);
        for (size_t h = giver; h != into; h = to[h]) {
            taken[h][by[h]] -= amount;
            taken[to[h]][by[h]] += amount;
        }
        held[giver] -= amount;
        held[into] += amount;
        return true;
    }

    bool filled(const std::vector<size_t>& opened, PartSplit& out) {
        std::vector<uint64_t> allowed(words_, 0);
        std::vector<int32_t> place(g_, -1);
        for (size_t o = 0; o < opened.size(); ++o) {
            allowed[opened[o] / 64] |= uint64_t{1} << (opened[o] % 64);
            place[opened[o]] = static_cast<int32_t>(o);
        }
        if (!find_homes(allowed)) return false;
        out.taken.assign(opened.size(), std::vector<int64_t>(n_, 0));
        std::vector<int64_t> held(opened.size(), 0);
        for (int64_t i = 0; i < n_; ++i) {
            out.taken[place[home_[i]]][i] = s_.rows[i];
            held[place[home_[i]]] += s_.rows[i];
        }
        for (size_t g = 0; g < opened.size(); ++g)
            while (held[g] < k_)
                if (!fetch(out.taken, held, opened, g, k_ - held[g])) return false;
        out.worth = 0;
        for (size_t g = 0; g < opened.size(); ++g) out.worth += worth_[opened[g]] * held[g];
        return true;
    }

 public:
    explicit GroupSearch(const SplitClass& s, int64_t k)
        : s_(s), n_(s.n), k_(k), g_(s.groups.size()), words_((g_ + 63) / 64) {
        inside_.assign(n_ * words_, 0);
        for (size_t g = 0; g < g_; ++g) {
            worth_.push_back(s.worths[s.by_worth[g]]);
            members_.push_back(&s.groups[s.by_worth[g]]->members);
            for (int32_t i : *members_.back()) inside_[i * words_ + g / 64] |= uint64_t{1} << (g % 64);
        }
        home_.assign(n_, 0);
        count_.assign(g_, 0);
    }

    // True where `best` is proved.
    bool run(PartSplit& best, int64_t nodes) {
        std::vector<std::vector<uint8_t>> waiting{std::vector<uint8_t>(g_, free_)};
        PartSplit found;
        for (int64_t visited = 0; visited < nodes && !waiting.empty(); ++visited) {
            std::vector<uint8_t> status = std::move(waiting.back());
            waiting.pop_back();
            if (!bound(status) || most_ <= best.worth) continue;
            size_t at = g_;
            for (size_t g = 0; g < g_; ++g)
                if (status[g] == free_ && count_[g] > 0 && count_[g] < k_ && (at == g_ || count_[g] > count_[at]))
                    at = g;
            bool open_first;
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
                const bool fits = filled(opened, found);
                if (fits && found.worth > best.worth) best = found;
                if (at == g_ || (fits && found.worth == most)) continue;
                open_first = true;
            }
            std::vector<uint8_t> other = status;
            status[at] = open_first ? closed_ : open_;
            other[at] = open_first ? open_ : closed_;
            waiting.push_back(std::move(status));
            waiting.push_back(std::move(other));
        }
        return waiting.empty() && s_.complete;
    }
};

}  // namespace paravent
