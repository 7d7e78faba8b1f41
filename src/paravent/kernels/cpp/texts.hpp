// Texts where they lie: a column in Arrow's C stream interface, as string views, without a copy of it.
// https://arrow.apache.org/docs/format/CStreamInterface.html
#pragma once

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

// A text of 12 bytes or fewer lies in the view itself, behind its length; of a longer one the first four bytes do, and
// where it is.
struct TextView {
    static constexpr int32_t kInside = 12;
    int32_t length, head, buffer, offset;

    bool is_long() const { return length > kInside; }
    const uint8_t* inside() const { return reinterpret_cast<const uint8_t*>(this) + sizeof length; }
};
static_assert(sizeof(TextView) == 16);

// The pieces of a column. They are held until this is gone.
class Texts {
    std::vector<ArrowArray> pieces_;

 public:
    explicit Texts(ArrowArrayStream* stream) {
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
    Texts(const Texts&) = delete;
    Texts& operator=(const Texts&) = delete;
    ~Texts() {
        for (ArrowArray& piece : pieces_) piece.release(&piece);
    }

    // Call body(row, view, bytes of the text) for each row; the view of a missing cell is null. Before each piece
    // begin(rows) is called: equal views tell of equal texts only within a piece.
    template <class Body> void each(Body body, const std::function<void(int64_t)>& begin = [](int64_t) {}) const {
        int64_t row = 0;
        for (const ArrowArray& piece : pieces_) {
            begin(piece.length);
            const auto* present = static_cast<const uint8_t*>(piece.buffers[0]);
            const auto* views = static_cast<const TextView*>(piece.buffers[1]) + piece.offset;
            for (int64_t i = 0; i < piece.length; ++i, ++row) {
                const int64_t bit = piece.offset + i;
                const bool missing = present != nullptr && !(present[bit >> 3] >> (bit & 7) & 1);
                const uint8_t* bytes = views[i].inside();
                if (!missing && views[i].is_long())
                    bytes = static_cast<const uint8_t*>(piece.buffers[2 + views[i].buffer]) + views[i].offset;
                body(row, missing ? nullptr : &views[i], bytes);
            }
        }
    }
};

// All texts in one piece. It has room for a short one behind its end: those are copied whole.
inline int64_t join_texts(const Texts& texts, uint8_t* begin) {
    uint8_t* to = begin;
    texts.each([&](int64_t, const TextView* view, const uint8_t* from) {
        if (view == nullptr) return;
        if (!view->is_long()) std::memcpy(to, view->inside(), TextView::kInside);
        else std::memcpy(to, from, view->length);
        to += view->length;
    });
    return to - begin;
}

// The texts that occur, numbered as they come. Missing cells have the highest number that there is.
struct TextCodes {
    std::vector<uint32_t> codes;
    std::vector<int64_t> first, counts;  // the first row of each number, and how often it occurs
    PARAVENT_FIELDS(codes, first, counts)
};

// The two words of a view, or of a text: short texts are equal where both are, with nothing behind their ends; of long
// ones the second word is a hash here, and their bytes are compared.
struct TextKey {
    uint64_t head = 0, tail = 0;
    const uint8_t* bytes = nullptr;

    bool operator==(const TextKey& other) const {
        if (head != other.head || tail != other.tail) return false;
        return bytes == nullptr || std::memcmp(bytes, other.bytes, head & 0xFFFFFFFF) == 0;
    }
};
constexpr uint64_t text_mix = 0xBF58476D1CE4E5B9;
inline uint64_t hash_of(const TextKey& key) {
    uint64_t found = (key.head ^ (key.tail * text_mix)) * 0x9E3779B97F4A7C15;
    return (found ^ (found >> 32)) * text_mix;
}

class TextCoder {
    static constexpr uint32_t kMissing = UINT32_MAX, kEmpty = UINT32_MAX;
    static constexpr int kSeen = 12;
    struct Seen {
        TextKey key;
        uint32_t code = kEmpty;
    };
    // Views of this piece and their numbers. Equal views are equal texts, be they long or short.
    std::vector<Seen> seen_{std::vector<Seen>(1 << kSeen)};
    Numbers<TextKey> numbers_;
    TextCodes out_;

    static TextKey words_of(const TextView& view) {
        TextKey found;
        std::memcpy(&found.head, &view, 8);
        std::memcpy(&found.tail, view.inside() + 4, 8);
        return found;
    }
    static uint64_t upto(uint64_t word, int32_t bytes) {
        return bytes >= 8 ? word : bytes <= 0 ? 0 : word & (UINT64_MAX >> (64 - 8 * bytes));
    }
    static TextKey key_of(const TextView& view, const uint8_t* bytes) {
        TextKey found = words_of(view);
        if (!view.is_long()) return {upto(found.head, 4 + view.length), upto(found.tail, view.length - 4)};
        found.bytes = bytes;
        found.tail = 0;
        uint64_t word = 0;
        for (int32_t at = 0; at < view.length; at += 8) {  // the last word reaches to the end
            std::memcpy(&word, bytes + (at + 8 <= view.length ? at : view.length - 8), 8);
            found.tail = (found.tail ^ word) * text_mix;
            found.tail ^= found.tail >> 29;
        }
        return found;
    }
    PARAVENT_INLINE uint32_t code_of(const TextView& view, const uint8_t* bytes, int64_t row) {
        const auto code = static_cast<uint32_t>(numbers_.number_or_grow(key_of(view, bytes)));
        if (code == out_.first.size()) {
            out_.first.push_back(row);
            out_.counts.push_back(0);
        }
        return code;
    }

 public:
    TextCodes run(const Texts& texts) {
        texts.each(
            [&](int64_t row, const TextView* view, const uint8_t* bytes) {
                if (view == nullptr) return;
                const TextKey words = words_of(*view);
                Seen& seen = seen_[hash_of(words) >> (64 - kSeen)];
                if (seen.code == kEmpty || !(seen.key == words)) seen = {words, code_of(*view, bytes, row)};
                out_.codes[row] = seen.code;
                ++out_.counts[seen.code];
            },
            [&](int64_t rows) {
                out_.codes.resize(out_.codes.size() + rows, kMissing);
                std::fill(seen_.begin(), seen_.end(), Seen{});
            });
        return std::move(out_);
    }
};

}  // namespace paravent
