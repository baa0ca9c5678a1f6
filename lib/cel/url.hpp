/// URLs as Go's net/url reads them.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::cel {

/// The parts of a URL.
struct Url {
  std::string text;
  std::string scheme;
  std::string host;  ///< With the port.
  std::string hostname;
  std::string port;
  std::string escaped_path;
  /// Keys in the order in which they first appear, with all their values.
  std::vector<std::pair<std::string, std::vector<std::string>>> query;
};

/// An absolute URL or an absolute path, as url.ParseRequestURI takes it; a fragment is cut off.
/// kInvalid with Go's message.
[[nodiscard]] Result<Url> parse_request_url(std::string_view text);

}  // namespace davit::cel
