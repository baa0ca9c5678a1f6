#include "plugins/shared/pods/pod_body.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/json_writer.hpp>

namespace davit::pods {
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

/// The member `key`, a map of texts: the template's entries, and `added` in place of those with the
/// same keys. Nothing is written when there are none.
void write_texts(JsonWriter& body, std::string_view key, Value from_template,
                 const std::vector<std::pair<std::string, std::string>>& added) {
  if (added.empty()) {
    body.member(key, from_template);
    return;
  }
  std::vector<Replacement> entries;
  for (const auto& entry : added) {
    entries.push_back({entry.first, [&entry](JsonWriter& out) { out.string(entry.second); }});
  }
  rewrite_object(body.key(key), from_template, entries);
}

void write_finalizers(JsonWriter& body, Value from_template,
                      const std::vector<std::string>& added) {
  if (added.empty()) {
    body.member("finalizers", from_template);
    return;
  }
  body.key("finalizers").begin_array();
  for (const Value each : from_template.elements()) {
    if (std::find(added.begin(), added.end(), each.string()) == added.end()) body.value(each);
  }
  for (const std::string& each : added) body.string(each);
  body.end_array();
}

}  // namespace

std::string pod_name_prefix(std::string_view owner_name) {
  std::string prefix(owner_name);
  // Upstream judges the prefix with its last two characters replaced by an "a", which stands for
  // the random suffix behind the dash.
  const std::string masked = prefix.empty() ? prefix : prefix.substr(0, prefix.size() - 1) + "a";
  if (is_subdomain(masked)) prefix.push_back('-');
  return prefix;
}

std::string pod_body(Value pod_template, const PodMetadata& metadata, const OwnerIdentity& owner,
                     std::span<const Replacement> spec) {
  const Value from_template = pod_template[&Names::metadata];
  JsonWriter body;
  body.begin_object().member("apiVersion", "v1").member("kind", "Pod");
  body.key("metadata").begin_object();
  if (!metadata.name.empty()) body.member("name", metadata.name);
  if (!metadata.generate_name.empty()) body.member("generateName", metadata.generate_name);
  write_texts(body, "labels", from_template[&Names::labels], metadata.labels);
  write_texts(body, "annotations", from_template[&Names::annotations], metadata.annotations);
  write_finalizers(body, from_template[&Names::finalizers], metadata.finalizers);
  body.key("ownerReferences").begin_array();
  owner.write_controller_reference(body);
  body.end_array().end_object();
  rewrite_object(body.key("spec"), pod_template[&Names::spec], spec);
  body.end_object();
  return std::move(body).text();
}

}  // namespace davit::pods
