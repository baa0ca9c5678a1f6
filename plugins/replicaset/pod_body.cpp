#include "plugins/replicaset/pod_body.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/json_writer.hpp>

namespace davit::replicaset {
namespace {

constexpr std::size_t kSubdomainMax = 253;  // Bytes of a DNS subdomain.

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// A DNS-1123 subdomain: labels of a-z, 0-9 and inner dashes, joined by dots.
bool is_subdomain(std::string_view text) {
  if (text.empty() || text.size() > kSubdomainMax) return false;
  bool at_edge = true;  // A label begins here, so a dash or dot may not follow.
  for (const char c : text) {
    if (c == '.') {
      if (at_edge) return false;
      at_edge = true;
    } else if (is_alphanumeric(c)) {
      at_edge = false;
    } else if (c != '-' || at_edge) {
      return false;
    }
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '-' && (i + 1 == text.size() || text[i + 1] == '.')) return false;
  }
  return !at_edge;
}

}  // namespace

std::string pod_name_prefix(std::string_view set_name) {
  std::string prefix(set_name);
  // Upstream judges the prefix with its last two characters replaced by an "a", which stands for
  // the random suffix behind the dash.
  const std::string masked = prefix.empty() ? prefix : prefix.substr(0, prefix.size() - 1) + "a";
  if (is_subdomain(masked)) prefix.push_back('-');
  return prefix;
}

std::string pod_body(const ReplicaSet& set) {
  const Value pod_template = set.pod_template();
  const Value metadata = pod_template[&Names::metadata];
  JsonWriter body;
  body.begin_object().member("apiVersion", "v1").member("kind", "Pod");
  body.key("metadata").begin_object();
  body.member("generateName", pod_name_prefix(set.name()));
  body.member("labels", metadata[&Names::labels]);
  body.member("annotations", metadata[&Names::annotations]);
  body.member("finalizers", metadata[&Names::finalizers]);
  body.key("ownerReferences").begin_array();
  owner_identity(set).write_controller_reference(body);
  body.end_array().end_object();
  body.member("spec", pod_template[&Names::spec]);
  body.end_object();
  return std::move(body).text();
}

}  // namespace davit::replicaset
