#include "sandbox/server/acceptance.hpp"

#include <algorithm>
#include <string>

#include "lib/net/accept.hpp"

namespace davit::sandbox {

namespace {

std::string listed(std::span<const std::string_view> types) {
  std::string out;
  for (const std::string_view each : types) out.append(out.empty() ? "" : ", ").append(each);
  return out;
}

}  // namespace

ApiFailure check_route(std::string_view accept, std::span<const std::string_view> types) {
  const std::vector<AcceptEntry> entries = parse_accept(accept);
  const bool known = std::ranges::any_of(entries, [&types](const AcceptEntry& each) {
    return each.type == "*/*" || std::ranges::find(types, each.type) != types.end();
  });
  if (known) return std::nullopt;
  return not_acceptable("406: Not Acceptable\n\nAvailable representations: " + listed(types));
}

ApiFailure check_document(std::string_view accept) {
  const std::vector<AcceptEntry> entries = parse_accept(accept);
  const bool known = std::ranges::any_of(entries, [](const AcceptEntry& each) {
    return each.as.empty() && std::ranges::any_of(kObjectTypes, [&each](std::string_view type) {
             return each.takes(type);
           });
  });
  if (known) return std::nullopt;
  return not_acceptable("only the following media types are accepted: " + listed(kObjectTypes));
}

}  // namespace davit::sandbox
