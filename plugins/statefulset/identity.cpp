#include "plugins/statefulset/identity.hpp"

#include <charconv>
#include <system_error>

namespace davit::statefulset {

PodName parse_pod_name(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view digits = name.substr(dash + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return {};
  std::int32_t ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return {name.substr(0, dash), error == std::errc() ? ordinal : -1};
}

std::string pod_name(std::string_view set, std::int64_t ordinal) {
  return std::string(set) + "-" + std::to_string(ordinal);
}

std::string claim_name(std::string_view claim_template, std::string_view pod) {
  return std::string(claim_template).append("-").append(pod);
}

}  // namespace davit::statefulset
