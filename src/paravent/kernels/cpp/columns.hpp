// Columns as they come: texts read where they lie (Arrow's C stream interface, as string views, without a copy of
// them), and pairs of codes counted. https://arrow.apache.org/docs/format/CStreamInterface.html
#pragma once

#include <string_view>

#include "keys.hpp"

namespace paravent {

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

// A text of 12 bytes or fewer lies in the view itself, behind its length; of a longer one the view has the first four,
// and where it is.
struct TextView {
    static constexpr int32_t inside = 12;
    int32_t length;
    char first[4];
    int32_t buffer, offset;
};
static_assert(sizeof(TextView) == 16);

// The pieces of a column. They are held until this is gone.
class Texts {
    std::vector<ArrowArray> pieces_;

 public:
    Texts() = default;
    Texts(const Texts&) = delete;
    Texts& operator=(const Texts&) = delete;
    ~Texts() {
        for (ArrowArray& piece : pieces_) piece.release(&piece);
    }

    void read(ArrowArrayStream* stream) {
        ArrowSchema schema{};
        if (stream->get_schema(stream, &schema) != 0) throw std::runtime_error("a column does not tell its type");
        const bool views = std::strcmp(schema.format, "vu") == 0;
        if (schema.release != nullptr) schema.release(&schema);
        if (!views) throw std::invalid_argument("a column of texts is needed, as string views");
        for (;;) {
            ArrowArray piece{};
            if (stream->get_next(stream, &piece) != 0) throw std::runtime_error("a column cannot be read");
            if (piece.release == nullptr) return;
            pieces_.push_back(piece);
        }
    }

    int64_t rows() const {
        int64_t sum = 0;
        for (const ArrowArray& piece : pieces_) sum += piece.length;
        return sum;
    }

    // Call body(row, piece, view, text) for each row; the view of a missing cell is null. Equal views tell of equal
    // texts within a piece.
    template <class Body> void each(Body body) const {
        int64_t row = 0;
        for (size_t p = 0; p < pieces_.size(); ++p) {
            const ArrowArray& piece = pieces_[p];
            const auto* present = static_cast<const uint8_t*>(piece.buffers[0]);
            for (int64_t i = piece.offset; i < piece.offset + piece.length; ++i, ++row) {
                if (present != nullptr && !(present[i >> 3] >> (i & 7) & 1)) {
                    body(row, p, nullptr, std::string_view());
                    continue;
                }
                const TextView* view = static_cast<const TextView*>(piece.buffers[1]) + i;
                const char* text = view->length <= TextView::inside
                                       ? reinterpret_cast<const char*>(view) + sizeof view->length
                                       : static_cast<const char*>(piece.buffers[2 + view->buffer]) + view->offset;
                body(row, p, view, std::string_view(text, view->length));
            }
        }
    }
};

// All texts in one piece, and how many bytes each has. A missing cell has none.
struct Joined {
    std::vector<int64_t> lengths;
    std::vector<uint8_t> bytes;
    PARAVENT_FIELDS(lengths, bytes)
};

inline Joined join_texts(const Texts& texts) {
    Joined out;
    out.lengths.reserve(texts.rows());
    int64_t size = 0;
    texts.each([&](int64_t, size_t, const TextView*, std::string_view text) {
        out.lengths.push_back(count_of(text));
        size += count_of(text);
    });
    out.bytes.resize(size + TextView::inside);  // room behind the end: short texts are copied whole
    uint8_t* to = out.bytes.data();
    texts.each([&](int64_t, size_t, const TextView* view, std::string_view text) {
        if (view != nullptr && text.size() <= TextView::inside) std::memcpy(to, text.data(), TextView::inside);
        else if (view != nullptr) std::memcpy(to, text.data(), text.size());
        to += text.size();
    });
    out.bytes.resize(size);
    return out;
}

// The texts that occur, numbered as they come. Missing cells have the number after the last.
struct TextCodes {
    std::vector<uint32_t> codes;
    std::vector<int64_t> first, counts;  // the first row of each number, and how often it occurs
    PARAVENT_FIELDS(codes, first, counts)
};

inline TextCodes text_codes(const Texts& texts) {
    constexpr uint32_t missing = UINT32_MAX;
    constexpr int slots = 12;
    struct Seen {  // a view that came lately
        uint64_t head = 0, tail = 0;
        size_t piece = SIZE_MAX;
        uint32_t code = 0;
    };
    std::vector<Seen> lately(1 << slots);
    std::vector<std::string_view> known;
    KeyNumbers numbers;
    TextCodes out;
    const auto code_of = [&](std::string_view text, int64_t row) {
        for (uint64_t key = std::hash<std::string_view>()(text);; key = mixed(key)) {  // another text may have this one
            const auto code = static_cast<size_t>(numbers.number_or_grow(key));
            if (code < known.size() && known[code] != text) continue;
            if (code == known.size()) {
                known.push_back(text);
                out.first.push_back(row);
                out.counts.push_back(0);
            }
            return static_cast<uint32_t>(code);
        }
    };
    out.codes.resize(texts.rows());
    texts.each([&](int64_t row, size_t piece, const TextView* view, std::string_view text) {
        if (view == nullptr) {
            out.codes[row] = missing;
            return;
        }
        uint64_t words[2];
        std::memcpy(words, view, sizeof words);
        Seen& seen = lately[(words[0] ^ words[1] * 0xBF58476D1CE4E5B9ull) * 0x9E3779B97F4A7C15ull >> (64 - slots)];
        if (seen.head != words[0] || seen.tail != words[1] || seen.piece != piece)
            seen = {words[0], words[1], piece, code_of(text, row)};
        out.codes[row] = seen.code;
        ++out.counts[seen.code];
    });
    for (uint32_t& code : out.codes)
        if (code == missing) code = static_cast<uint32_t>(known.size());
    return out;
}

// The label of each of n rows beside a rank: that of row[i] of `rows`, or, without `row`, of row i.
struct Pairs {
    const int32_t *label = nullptr, *rank = nullptr;
    const int64_t* row = nullptr;
    int64_t n = 0, rows = 0, labels = 0, ranks = 0;
    PARAVENT_FIELDS(label, rank, row, n, rows, labels, ranks)
};

// counts[label * ranks + rank]
inline std::vector<int64_t> count_pairs(const Pairs& p) {
    std::vector<int64_t> counts(p.labels * p.ranks, 0);
    for (int64_t i = 0; i < p.n; ++i) {
        const int64_t at = p.row == nullptr ? i : p.row[i];
        if (at < 0 || at >= p.rows) throw std::invalid_argument("a row is not there");
        const int64_t label = p.label[i], rank = p.rank[at];
        if (label < 0 || label >= p.labels || rank < 0 || rank >= p.ranks)
            throw std::invalid_argument("a code is out of bounds");
        ++counts[label * p.ranks + rank];
    }
    return counts;
}

}  // namespace paravent
