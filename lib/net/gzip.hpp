/// Compressed bodies.
#pragma once

#include <string>
#include <string_view>

namespace davit {

/// Whether a client with this Accept-Encoding header takes gzip: the header names it or "*", and
/// does not refuse it with q=0 (RFC 9110, 12.5.3).
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

/// `text` as one gzip member, compressed for speed. Gzip of any text succeeds; std::bad_alloc if
/// there is no memory.
[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace davit
