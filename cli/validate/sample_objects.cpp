#include "cli/validate/sample_objects.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "cli/validate/schema_sample.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

struct Sample {
  std::string_view resource;
  std::string_view members;
};

constexpr std::string_view kPodSpec =
    R"({"containers":[{"name":"app","image":"app:1","ports":[{"containerPort":80}]}]})";

// clang-format off
constexpr Sample kSamples[] = {
    {"pods", R"({"spec":{"containers":[{"name":"app","image":"app:1"}]}})"},
    {"services", R"({"spec":{"selector":{"app":"web"},"ports":[{"name":"http","port":80}]}})"},
    {"configmaps", R"({"data":{"colour":"red"}})"},
    {"secrets", R"({"data":{"password":"c2VjcmV0"},"type":"Opaque"})"},
    {"nodes", R"({"spec":{"podCIDR":"10.0.0.0/24"},
                  "status":{"conditions":[{"type":"Ready","status":"True"}]}})"},
    {"namespaces", R"({"spec":{}})"},
    {"leases", R"({"spec":{"holderIdentity":"me","leaseDurationSeconds":40}})"},
    {"endpoints", R"({"subsets":[]})"},
    {"endpointslices", R"({"addressType":"IPv4","endpoints":[],"ports":[]})"},
    {"jobs", R"({"spec":{"template":{"spec":{"restartPolicy":"Never",
                 "containers":[{"name":"app","image":"app:1"}]}}}})"},
    {"cronjobs", R"({"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{
                     "restartPolicy":"Never","containers":[{"name":"app","image":"app:1"}]}}}}}})"},
    {"networkpolicies", R"({"spec":{"podSelector":{}}})"},
    {"serviceaccounts", R"({})"},
};
// clang-format on

constexpr std::string_view kWorkloads[] = {"deployments", "replicasets", "statefulsets",
                                           "daemonsets", "replicationcontrollers"};

Json workload(std::string_view resource) {
  Json spec = Json::object();
  const Json labels = Json::object({{"app", "web"}});
  spec.set("selector",
           resource == "replicationcontrollers" ? labels : Json::object({{"matchLabels", labels}}));
  spec.set("template", Json::object({{"metadata", Json::object({{"labels", labels}})},
                                     {"spec", json_literal(kPodSpec)}}));
  if (resource == "statefulsets") spec.set("serviceName", "web");
  if (resource != "daemonsets") spec.set("replicas", 2);
  return Json::object({{"spec", std::move(spec)}});
}

/// Below `most`, which is above 0.
std::size_t below(Random& random, std::size_t most) { return random.next() % most; }

Json deep(int levels) {
  Json out = "end";
  for (int i = 0; i < levels; ++i) out = Json::object({{"down", std::move(out)}});
  return out;
}

Json hostile_value(Random& random) {
  constexpr int kLong = 70'000;  // Longer than any buffer that a careless author would take.
  constexpr int kDeep = 40;
  // clang-format off
  const Json kinds[] = {
      Json(), true, 0, -1, Json::number("9223372036854775807"),
      Json::number("-9223372036854775808"), Json::number("18446744073709551616"),
      Json::number("1e300"), Json::number("0.1"), "", " ", "/", "a/b/c", std::string(kLong, 'x'),
      "\xF0\x9F\x9A\xA2 \xE2\x80\xAE", std::string("a\0b", 3), "100%", "-5Gi",
      "2024-13-45T99:99:99Z", "0001-01-01T00:00:00Z", Json::array(), Json::object(),
      Json::array({Json()}), Json::array({Json::array(), Json::object()}), Json::object({{"", ""}}),
      Json::object({{"name", Json()}}), Json::array({"a", "a", "a"}), deep(kDeep)};
  // clang-format on
  return kinds[below(random, std::size(kinds))];
}

/// A place somewhere below `root`, which may be `root` itself.
Json& somewhere(Json& root, Random& random) {
  Json* at = &root;
  for (;;) {
    const std::size_t children = at->size();
    if (children == 0 || below(random, 3) == 0) return *at;
    const std::size_t chosen = below(random, children);
    at = at->is_array() ? &at->make_array()[chosen] : &at->make_object()[chosen].value;
  }
}

/// Follows a path of the note's grammar and makes what is missing.
Json& place_at(Json& root, std::string_view path, Random& random) {
  Json* at = &root;
  while (!path.empty()) {
    if (path.starts_with("[]")) {
      if (!at->is_array() || at->size() == 0) at->make_array().emplace_back();
      at = &at->make_array()[below(random, at->size())];
      path.remove_prefix(2);
    } else if (path.starts_with("['")) {
      path.remove_prefix(2);
      at = &(*at)[take_until(path, "']")];
    } else {
      if (path.starts_with('.')) path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      at = &(*at)[path.substr(0, end)];
      path.remove_prefix(end);
    }
  }
  return *at;
}

void corrupt_once(Json& object, const std::vector<std::string>& paths, Random& random) {
  Json& read =
      paths.empty() ? object : place_at(object, paths[below(random, paths.size())], random);
  Json& at = below(random, 2) == 0 ? somewhere(read, random) : read;
  switch (below(random, 4)) {
    case 0:  // A member goes, or an element.
      if (at.is_object() && at.size() > 0) {
        const std::string key = at.members()[below(random, at.size())].key;
        at.erase(key);
        return;
      }
      at = Json();
      return;
    case 1:  // Something is there twice, or more often.
      if (at.is_array() && at.size() > 0) {
        constexpr std::size_t kMany = 300;
        const Json first = at.items()[0];
        for (std::size_t i = below(random, kMany); i > 0; --i) at.push_back(first);
        return;
      }
      at = hostile_value(random);
      return;
    case 2:  // An unknown member.
      if (at.is_object()) {
        at.set("unknown", hostile_value(random));
        return;
      }
      at = hostile_value(random);
      return;
    default:
      at = hostile_value(random);
  }
}

Json copy_of(const Json& example, const std::string& name, const std::string& ns) {
  Json object = example;
  object.erase("status");
  Json& metadata = object["metadata"];
  metadata.set("name", name);
  if (!ns.empty()) metadata.set("namespace", ns);
  return object;
}

}  // namespace

Json ordinary_object(const TrialHost::Watched& resource, const std::string& name,
                     const Json* example, const Json* schema) {
  const std::string ns = resource.namespaced ? resource.ns : "";
  if (example != nullptr) return copy_of(*example, name, ns);
  Json object = Json::object({{"spec", Json::object()}});
  bool is_known = false;
  for (const Sample& each : kSamples) {
    if (each.resource != resource.watch.resource) continue;
    object = json_literal(each.members);
    is_known = true;
  }
  if (schema != nullptr) {
    object = sample_of(*schema, resource.watch.projection);
    object.erase("status");
    is_known = true;
  }
  if (std::find(std::begin(kWorkloads), std::end(kWorkloads), resource.watch.resource) !=
      std::end(kWorkloads)) {
    object = workload(resource.watch.resource);
    is_known = true;
  }
  object.set("apiVersion", resource.api_version);
  object.set("kind", resource.kind);
  Json metadata = Json::object({{"name", name}, {"labels", Json::object({{"app", "web"}})}});
  if (resource.namespaced) metadata.set("namespace", resource.ns);
  object.set("metadata", std::move(metadata));
  std::vector<std::string> guessed = resource.watch.projection;
  // The content of a kind that is known is right already.
  if (is_known) std::erase_if(guessed, [](const auto& path) { return path.starts_with("spec"); });
  fill_by_guess(object, guessed);
  return object;
}

void complete_metadata(Json& object, const TrialHost::Watched& resource, Random& random) {
  Json& metadata = object["metadata"];
  const std::uint64_t high = random.next();
  const std::uint64_t low = random.next();
  char uid[37];
  (void)std::snprintf(uid, sizeof(uid), "%08x-%04x-4%03x-8%03x-%012llx",
                      static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xFFFF),
                      static_cast<unsigned>(high & 0xFFF), static_cast<unsigned>(low >> 52),
                      static_cast<unsigned long long>(low & 0xFFFFFFFFFFFF));
  metadata.set("uid", std::string(uid));
  metadata.set("creationTimestamp", "2026-01-01T00:00:00Z");
  metadata.set("generation", 1);
  if (resource.namespaced) metadata.set("namespace", resource.ns);
}

void corrupt_value(Json& value, Random& random) {
  constexpr std::size_t kMost = 3;
  for (std::size_t i = below(random, kMost) + 1; i > 0; --i) corrupt_once(value, {}, random);
}

void corrupt(Json& object, const std::vector<std::string>& paths, Random& random) {
  constexpr std::size_t kMost = 6;
  const Json before = object;
  for (std::size_t i = below(random, kMost) + 1; i > 0; --i) corrupt_once(object, paths, random);
  for (const char* member : {"apiVersion", "kind"}) object.set(member, before.get(member));
  Json& metadata = object["metadata"];
  for (const char* member : {"name", "namespace", "uid", "creationTimestamp"}) {
    const Json* const kept = before.get("metadata").find(member);
    if (kept != nullptr) metadata.set(member, *kept);
  }
}

}  // namespace davit::host
