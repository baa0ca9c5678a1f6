#include "host/config/names.hpp"

#include <algorithm>
#include <davit/kube/label_syntax.hpp>
#include <string>

#include "lib/base/printable.hpp"

namespace davit::host {

namespace {

bool has_other_meaning(std::string_view text) {
  constexpr std::string_view kOtherMeaning[] = {"watch", "proxy", "status", "finalize"};
  return std::find(std::begin(kOtherMeaning), std::end(kOtherMeaning), text) !=
         std::end(kOtherMeaning);
}

}  // namespace

bool is_resource_name(std::string_view text) {
  return is_dns_label(text) && !has_other_meaning(text);
}

bool is_metrics_group(std::string_view group) {
  return group == "custom.metrics.k8s.io" || group == "external.metrics.k8s.io";
}

bool is_metric_segment(std::string_view text) {
  return is_path_segment_name(text) && !has_other_meaning(text);
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

bool is_capability_id(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() > kSubdomainBytesMax) return false;
  const std::string_view revision = text.substr(slash + 1);
  constexpr std::size_t kDigitsMax = 5;
  return is_dns_subdomain(text.substr(0, slash)) && !revision.empty() &&
         revision.size() <= kDigitsMax && revision.front() != '0' &&
         revision.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_verb(std::string_view text) { return is_dns_label(text); }

bool is_path_segment_name(std::string_view text) {
  return !text.empty() && text.size() <= kSubdomainBytesMax && text != "." && text != ".." &&
         text.find_first_of("/%") == std::string_view::npos && printable(text) == text;
}

bool is_url_pattern(std::string_view text) {
  constexpr std::size_t kBytesMax = 1024;
  if (text == "*") return true;
  if (text.empty() || text.size() > kBytesMax || text.front() != '/') return false;
  const std::size_t star = text.find('*');
  if (star != std::string_view::npos && star + 1 != text.size()) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) {
                       return c > ' ' && c <= '~' && c != '?' && c != '#' && c != '%' && c != '\\';
                     }) &&
         ("/" + std::string(text) + "/").find("/../") == std::string::npos;
}

}  // namespace davit::host
