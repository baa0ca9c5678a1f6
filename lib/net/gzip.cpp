#include "lib/net/gzip.hpp"

#include <zlib.h>

#include <new>

#include "lib/base/lower_case.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"

namespace davit {
namespace {

/// "q=0", "q=0.000"
bool is_refusal(std::string_view parameter) {
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
  return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool accepts_any = false;
  while (!accept_encoding.empty()) {
    std::string_view coding = take_until(accept_encoding, ",");
    const std::string name = lower_case(std::string(trimmed(take_until(coding, ";"))));
    bool is_refused = false;
    while (!coding.empty()) is_refused = is_refusal(trimmed(take_until(coding, ";"))) || is_refused;
    if (name == "gzip" || name == "x-gzip") return !is_refused;
    if (name == "*") accepts_any = !is_refused;
  }
  return accepts_any;
}

std::string gzip(std::string_view text) {
  constexpr int kGzipFormat = 16;  // Added to the size of the window, as zlib.h has it.
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + kGzipFormat, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);  // The output has room for all of it.
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace davit
