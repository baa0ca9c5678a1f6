/// The Accept header, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davit::sandbox {

/// One entry. All views are into the header.
struct AcceptEntry {
  std::string_view text;  ///< The client's text, without q.
  std::string_view type;  ///< "application/json", "*/*"
  std::string_view as;    ///< Parameters, empty when absent.
  std::string_view group;
  std::string_view version;
  std::string_view stream;
  bool pretty = false;
  int quality = 1000;  ///< Thousandths.

  /// Whether the entry takes this media type, by name or wildcard.
  [[nodiscard]] bool takes(std::string_view media_type) const;
};

/// Best first: by q, then the more specific type, then as written. Entries with q=0 are left out.
/// An empty header is "*/*".
[[nodiscard]] std::vector<AcceptEntry> parse_accept(std::string_view header);

}  // namespace davit::sandbox
