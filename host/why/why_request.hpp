/// The request of `davit why` and /debug/why.
#pragma once

#include <string>
#include <string_view>

namespace davit::host {

struct WhyRequest {
  std::string object;          ///< KIND/NAME, see resolve_object().
  std::string ns = "default";  ///< Ignored for cluster-scoped objects.
  enum class Output { kText, kJson, kTimeline } output = Output::kText;
};

/// A request in words, as the control socket and URLs have them: `output` is "json", "timeline" or
/// anything else for text. An empty `ns` is the default.
[[nodiscard]] WhyRequest why_request(std::string object, const std::string& ns,
                                     std::string_view output);

/// The request of /debug/why: `query` has `object`, `namespace` and `output`, of each of which the
/// last one counts.
[[nodiscard]] WhyRequest why_request_of_query(std::string_view query);

}  // namespace davit::host
