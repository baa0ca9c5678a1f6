#include "host/config/names.hpp"

#include <algorithm>
#include <davit/kube/label_syntax.hpp>

namespace davit::host {

bool is_resource_name(std::string_view text) {
  constexpr std::string_view kOtherMeaning[] = {"watch", "proxy", "status", "finalize"};
  return is_dns_label(text) && std::find(std::begin(kOtherMeaning), std::end(kOtherMeaning),
                                         text) == std::end(kOtherMeaning);
}

bool is_subresource_of(std::string_view resource, std::string_view text) {
  if (resource == "namespaces") return text == "status" || text == "finalize";
  return is_dns_label(text);
}

bool is_client_name(std::string_view text) {
  constexpr std::size_t kBytesMax = 253;
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  return !text.empty() && text.size() <= kBytesMax &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace davit::host
