#include "host/object/json_scan.hpp"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace davit::host {

namespace {
constexpr std::size_t kBlock = 64;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool is_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

/// std::popcount is a library call on baseline x86-64, and takes a tenth of the time.
std::uint64_t bit_count(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return bits * 0x0101010101010101 >> 56;
}

/// One bit for each byte of a block that is of the kind.
struct BlockBits {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opens = 0;   // { [
  std::uint64_t closes = 0;  // } ]
};

BlockBits read_block(const char* block) {
  BlockBits bits;
#if defined(__SSE2__)
  // Braces and brackets differ in one bit (0x20), so setting it halves the comparisons.
  const __m128i lower = _mm_set1_epi8(0x20);
  for (unsigned part = 0; part < kBlock; part += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + part));
    const __m128i folded = _mm_or_si128(bytes, lower);
    const auto equal = [part](__m128i data, char c) {
      const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(data, _mm_set1_epi8(c)));
      return static_cast<std::uint64_t>(static_cast<unsigned>(found)) << part;
    };
    bits.quotes |= equal(bytes, '"');
    bits.backslashes |= equal(bytes, '\\');
    bits.opens |= equal(folded, '{');
    bits.closes |= equal(folded, '}');
  }
#else
  for (unsigned i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char c = block[i];
    if (c == '"') bits.quotes |= bit;
    if (c == '\\') bits.backslashes |= bit;
    if (c == '{' || c == '[') bits.opens |= bit;
    if (c == '}' || c == ']') bits.closes |= bit;
  }
#endif
  return bits;
}

/// Bit i of the result is the parity of the bits 0 to i: from quotes to "inside a string".
std::uint64_t parity_up_to(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// The bytes that follow an escaping backslash. An even run of backslashes escapes itself. The
/// carry states whether the byte before the block was an escaping one. The method is simdjson's
/// (find_escaped).
std::uint64_t escaped_bytes(std::uint64_t backslashes, bool carry_in) {
  constexpr std::uint64_t kEven = 0x5555555555555555;
  backslashes &= ~static_cast<std::uint64_t>(carry_in);
  const std::uint64_t follows = backslashes << 1 | static_cast<std::uint64_t>(carry_in);
  const std::uint64_t odd_starts = backslashes & ~kEven & ~follows;
  const std::uint64_t even_runs = odd_starts + backslashes;
  return (kEven ^ (even_runs << 1)) & follows;
}

/// The first quote or backslash at or after `begin`, or `end`.
const char* find_string_mark(const char* begin, const char* end) {
#if defined(__SSE2__)
  for (; end - begin >= 16; begin += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin));
    const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    const int found = _mm_movemask_epi8(marks);
    if (found != 0) return begin + std::countr_zero(static_cast<unsigned>(found));
  }
#endif
  while (begin < end && *begin != '"' && *begin != '\\') ++begin;
  return begin;
}
}  // namespace

void ValueScanner::start(char first) {
  *this = ValueScanner();
  if (first == '"') {
    mode_ = Mode::kString;
  } else if (first == '{' || first == '[') {
    mode_ = Mode::kNested;
  }
}

const char* ValueScanner::feed(const char* begin, const char* end) {
  switch (mode_) {
    case Mode::kString:
      return feed_string(begin, end);
    case Mode::kNested:
      return feed_nested(begin, end);
    default:
      return feed_scalar(begin, end);
  }
}

const char* ValueScanner::feed_scalar(const char* begin, const char* end) {
  while (begin < end && is_scalar(*begin)) ++begin;
  return begin < end ? begin : nullptr;
}

const char* ValueScanner::feed_string(const char* begin, const char* end) {
  if (!started_ && begin < end) {
    started_ = true;
    ++begin;  // The opening quote.
  }
  while (begin < end) {
    if (escaped_) {
      escaped_ = false;
      ++begin;
      continue;
    }
    begin = find_string_mark(begin, end);
    if (begin == end) break;
    if (*begin == '"') return begin + 1;
    escaped_ = true;
    ++begin;
  }
  return nullptr;
}

const char* ValueScanner::feed_nested(const char* begin, const char* end) {
  for (; static_cast<std::size_t>(end - begin) >= kBlock; begin += kBlock) {
    if (const char* found = feed_block(begin, kBlock)) return found;
  }
  if (begin == end) return nullptr;
  // The rest is filled up with spaces, which mean nothing anywhere but behind a backslash.
  const auto size = static_cast<std::size_t>(end - begin);
  char block[kBlock];
  std::memset(block, ' ', sizeof block);
  std::memcpy(block, begin, size);
  const char* found = feed_block(block, size);
  return found == nullptr ? nullptr : begin + (found - block);
}

const char* ValueScanner::feed_block(const char* block, std::size_t used) {
  BlockBits bits = read_block(block);
  if (bits.backslashes != 0 || escaped_) {
    const std::uint64_t last = bits.backslashes >> (used - 1) & 1;
    const std::uint64_t escaped = escaped_bytes(bits.backslashes, escaped_);
    escaped_ = last != 0 && (escaped >> (used - 1) & 1) == 0;
    bits.quotes &= ~escaped;
  }
  std::uint64_t inside = parity_up_to(bits.quotes);
  if (in_string_) inside = ~inside;
  in_string_ = inside >> (kBlock - 1) != 0;
  const std::uint64_t opens = bits.opens & ~inside;
  const std::uint64_t closes = bits.closes & ~inside;
  const std::uint64_t close_count = bit_count(closes);
  if (close_count < depth_) {
    depth_ += bit_count(opens) - close_count;
    return nullptr;
  }
  for (std::uint64_t rest = opens | closes; rest != 0; rest &= rest - 1) {
    const std::uint64_t bit = rest & (~rest + 1);
    if ((opens & bit) != 0) {
      ++depth_;
    } else if (--depth_ == 0) {
      return block + std::countr_zero(bit) + 1;
    }
  }
  return nullptr;
}

const char* skip_space(const char* begin, const char* end) {
  while (begin < end && is_space(*begin)) ++begin;
  return begin;
}

const char* skip_plain(const char* begin, const char* end) {
#if defined(__SSE2__)
  for (; end - begin >= 16; begin += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin));
    // In signed numbers, control characters and bytes beyond ASCII are both below the space.
    const __m128i marks = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
                                       _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    const int found = _mm_movemask_epi8(marks);
    if (found != 0) return begin + std::countr_zero(static_cast<unsigned>(found));
  }
#endif
  const auto plain = [](char c) {
    return static_cast<signed char>(c) >= ' ' && c != '"' && c != '\\';
  };
  while (begin < end && plain(*begin)) ++begin;
  return begin;
}

const char* skip_value(const char* begin, const char* end) {
  if (begin >= end) return nullptr;
  ValueScanner scanner;
  scanner.start(*begin);
  const char* behind = scanner.feed(begin, end);
  return behind == nullptr && is_scalar(*begin) ? end : behind;
}

MemberWalk::MemberWalk(std::string_view object)
    : at_(skip_space(object.data(), object.data() + object.size())),
      end_(object.data() + object.size()) {
  if (at_ < end_ && *at_ == '{') {
    ++at_;
  } else {
    end_ = at_;
  }
}

bool MemberWalk::next() {
  at_ = skip_space(at_, end_);
  if (at_ < end_ && *at_ == '}') {
    ok_ = skip_space(at_ + 1, end_) == end_;
    end_ = at_;
    return false;
  }
  if (!first_) {
    if (at_ == end_ || *at_ != ',') return false;
    at_ = skip_space(at_ + 1, end_);
  }
  first_ = false;
  if (at_ == end_ || *at_ != '"') return false;
  const char* key_end = skip_value(at_, end_);
  if (key_end == nullptr) return false;
  key_ = std::string_view(at_ + 1, static_cast<std::size_t>(key_end - at_ - 2));
  at_ = skip_space(key_end, end_);
  if (at_ == end_ || *at_ != ':') return false;
  at_ = skip_space(at_ + 1, end_);
  const char* value_end = skip_value(at_, end_);
  if (value_end == nullptr || value_end == at_) return false;
  value_ = std::string_view(at_, static_cast<std::size_t>(value_end - at_));
  at_ = value_end;
  return true;
}

}  // namespace davit::host
