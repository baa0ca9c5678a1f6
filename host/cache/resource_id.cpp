#include "host/cache/resource_id.hpp"

#include <charconv>

namespace davit::host {

std::optional<std::uint64_t> parse_version(std::string_view resource_version) {
  std::uint64_t number = 0;
  const char* const end = resource_version.data() + resource_version.size();
  const auto [rest, error] = std::from_chars(resource_version.data(), end, number);
  if (resource_version.empty() || error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace davit::host
