#include "tests/live/oracle/picture.hpp"

#include <algorithm>
#include <set>

namespace davit::oracle {

using sandbox::Json;

namespace {

bool is_compared(const KindInfo& kind) {
  return kind.name == "deployment" || kind.name == "replicaset" || kind.name == "pod" ||
         kind.name == "endpoints" || kind.name == "node";
}

/// The members that count, with names replaced and lists sorted: their order is that of a race or
/// of random addresses.
Json canonical(const Json& json, std::string_view kind, const std::string& path, const Names& names,
               const KnownDifferences& known) {
  if (json.is_string()) return names.replaced(json.text());
  if (json.is_array()) {
    std::vector<std::pair<std::string, Json>> items;
    for (const Json& each : json.items()) {
      if (path == "status.conditions" &&
          known.leaves_out(kind, "condition", each.text_at({"type"}))) {
        continue;
      }
      Json item = canonical(each, kind, path, names, known);
      std::string text = to_canonical_text(item);
      items.emplace_back(std::move(text), std::move(item));
    }
    std::sort(items.begin(), items.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Json out = Json::array();
    for (auto& [text, item] : items) out.push_back(std::move(item));
    return out;
  }
  if (!json.is_object()) return json;
  if (path == "status.conditions" &&
      known.is_alike(kind, "condition " + json.text_at({"type"}),
                     json.text_at({"status"}) + ' ' + json.text_at({"reason"}))) {
    return Json::object({{"type", json.text_at({"type"})}, {"status", json.text_at({"status"})}});
  }
  Json out = Json::object();
  for (const Json::Member& each : json.members()) {
    const std::string at = path.empty() ? each.key : path + '.' + each.key;
    if (known.leaves_out(kind, at, each.key)) continue;
    if (each.key == "deletionTimestamp") {
      out.set(each.key, "a time");
      continue;
    }
    Json member = canonical(each.value, kind, at, names, known);
    // A server of another version may write an empty member that this one leaves out.
    if (!member.empty()) out.set(names.replaced(each.key), std::move(member));
  }
  return out;
}

/// Addresses of pods are random; what counts is whether an address is that of its pod.
Json with_named_addresses(Json endpoints, const std::vector<Life>& lives) {
  std::map<std::string, const Json*> pods;
  for (const Life& each : lives) {
    if (each.kind->name == "pod") pods[each.name] = &each.now();
  }
  Json::Items& subsets = endpoints["subsets"].make_array();
  for (Json& subset : subsets) {
    for (const char* list : {"addresses", "notReadyAddresses"}) {
      Json* addresses = subset.find(list);
      if (addresses == nullptr) continue;
      for (Json& address : addresses->make_array()) {
        const auto pod = pods.find(address.text_at({"targetRef", "name"}));
        if (pod == pods.end()) continue;
        if (address.text_at({"ip"}) == pod->second->text_at({"status", "podIP"})) {
          address.set("ip", "of the pod");
        }
        if (address.text_at({"nodeName"}) == pod->second->text_at({"spec", "nodeName"})) {
          address.set("nodeName", "of the pod");
        }
      }
    }
  }
  return endpoints;
}

/// "status.replicas" → "3", for every leaf.
void flatten(const Json& json, const std::string& path, std::map<std::string, std::string>& out) {
  if (json.is_object()) {
    for (const Json::Member& each : json.members()) {
      flatten(each.value, path.empty() ? each.key : path + '.' + each.key, out);
    }
  } else if (json.is_array()) {
    std::size_t index = 0;
    for (const Json& each : json.items())
      flatten(each, path + '[' + std::to_string(index++) + ']', out);
  } else {
    out[path] = to_text(json);
  }
}

std::vector<std::string> member_differences(const std::string& name, const std::string& original,
                                            const std::string& ours) {
  std::map<std::string, std::string> a;
  std::map<std::string, std::string> b;
  flatten(sandbox::json_literal(original), "", a);
  flatten(sandbox::json_literal(ours), "", b);
  std::vector<std::string> out;
  for (const auto& [path, value] : a) {
    const auto found = b.find(path);
    if (found != b.end() && found->second == value) continue;
    out.push_back(name + ": " + path + " is " + value + ", but " +
                  (found == b.end() ? "missing" : found->second) + " with davit");
  }
  for (const auto& [path, value] : b) {
    if (!a.contains(path)) out.push_back(name + ": " + path + " is " + value + " with davit only");
  }
  return out;
}

}  // namespace

Picture picture(const std::vector<Life>& lives, const Names& names, const KnownDifferences& known) {
  Picture out;
  for (const Life& each : lives) {
    if (each.gone || !is_compared(*each.kind)) continue;
    const bool has_addresses = each.kind->name == "endpoints";
    const Json object =
        canonical(has_addresses ? with_named_addresses(each.now(), lives) : each.now(),
                  each.kind->name, "", names, known);
    out.emplace_back(std::string(each.kind->name) + ' ' + names.replaced(each.name),
                     to_canonical_text(object));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> differences(const Picture& original, const Picture& ours) {
  Picture only_original;
  Picture only_ours;
  std::set_difference(original.begin(), original.end(), ours.begin(), ours.end(),
                      std::back_inserter(only_original));
  std::set_difference(ours.begin(), ours.end(), original.begin(), original.end(),
                      std::back_inserter(only_ours));
  std::vector<std::string> out;
  for (const auto& [name, text] : only_original) {
    const auto twin = std::find_if(only_ours.begin(), only_ours.end(),
                                   [&name](const auto& each) { return each.first == name; });
    if (twin == only_ours.end()) {
      out.push_back(name + " does not exist with davit: " + text);
      continue;
    }
    for (std::string& each : member_differences(name, text, twin->second)) {
      out.push_back(std::move(each));
    }
    only_ours.erase(twin);
  }
  for (const auto& [name, text] : only_ours)
    out.push_back(name + " exists with davit only: " + text);
  return out;
}

std::vector<std::string> differences(const Record& original, const Record& ours) {
  std::vector<std::string> out;
  for (const auto& [line, count] : original) {
    const auto found = ours.find(line);
    const std::int64_t here = found == ours.end() ? 0 : found->second;
    if (here == count) continue;
    out.push_back(std::to_string(count) + " times, " + std::to_string(here) +
                  " times with davit: " + line);
  }
  for (const auto& [line, count] : ours) {
    if (!original.contains(line)) out.push_back("with davit only: " + line);
  }
  return out;
}

}  // namespace davit::oracle
