#include "host/config/names.hpp"

#include <arpa/inet.h>

#include <algorithm>

namespace davit::host {

bool is_dns_label(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  constexpr std::size_t kBytesMax = 63;
  return !text.empty() && text.size() <= kBytesMax && text.front() != '-' && text.back() != '-' &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool is_dns_subdomain(std::string_view text) {
  constexpr std::size_t kBytesMax = 253;
  if (text.size() > kBytesMax) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

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

bool is_ip_address(const std::string& text) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(AF_INET, text.c_str(), address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address) == 1;
}

}  // namespace davit::host
