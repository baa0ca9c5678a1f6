#include "host/config/leader_migration.hpp"

#include <davit/kube/label_syntax.hpp>

#include "host/config/fields.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

constexpr const char* kVersions[] = {"controllermanager.config.k8s.io/v1",
                                     "controllermanager.config.k8s.io/v1beta1",
                                     "controllermanager.config.k8s.io/v1alpha1"};
constexpr std::string_view kAnyComponent = "*";

void require(Fields& in, const YamlNode& node, std::string_view key) {
  if (node.kind == YamlNode::Kind::kMapping && node.find(key) == nullptr) {
    in.mistake(node, in.path(key) + " is missing");
  }
}

void read_controller(const YamlNode& node, const std::string& where, const std::string& file,
                     LeaderMigrationResult& out) {
  Fields in(node, where, file, out.mistakes);
  std::string name;
  std::string component;
  in.name("name", name);
  in.name("component", component);
  in.finish();
  require(in, node, "name");
  require(in, node, "component");
  out.migration.components[name] = component;
}

void read_migration(const YamlNode& root, const std::string& file, LeaderMigrationResult& out) {
  Fields in(root, "", file, out.mistakes);
  std::string version;
  std::string kind;
  std::string lock;
  in.choice("apiVersion", {std::begin(kVersions), std::end(kVersions)}, version);
  in.choice("kind", {"LeaderMigrationConfiguration"}, kind);
  in.name("leaderName", out.migration.leader_name);
  // Upstream takes "endpoints" here and fails when it creates that lock.
  if (version != kVersions[0]) in.choice("resourceLock", {"leases"}, lock);
  if (const YamlNode* leaders = in.any("controllerLeaders")) {
    if (leaders->kind != YamlNode::Kind::kSequence) {
      in.mistake(*leaders, "controllerLeaders must be a list, not " + leaders->describe());
    }
    for (std::size_t i = 0; i < leaders->items.size(); ++i) {
      read_controller(leaders->items[i], "controllerLeaders[" + std::to_string(i) + "]", file, out);
    }
  }
  in.finish();
  for (const char* key : {"apiVersion", "kind", "leaderName"}) require(in, root, key);
  const YamlNode* name = root.find("leaderName");
  if (name != nullptr && !out.migration.leader_name.empty() &&
      !is_dns_subdomain(out.migration.leader_name)) {
    in.mistake(*name, "leaderName must be a DNS subdomain, not " + name->describe());
  }
}

}  // namespace

ControllerLease LeaderMigration::lease_of(std::string_view controller,
                                          std::string_view component) const {
  const auto found = components.find(std::string(controller));
  if (found == components.end()) return ControllerLease::kMain;
  const bool here = found->second == component || found->second == kAnyComponent;
  return here ? ControllerLease::kMigration : ControllerLease::kElsewhere;
}

LeaderMigration default_leader_migration() {
  const std::string any(kAnyComponent);
  return {"cloud-provider-extraction-migration",
          {{"route-controller", any},
           {"service-controller", any},
           {"cloud-node-lifecycle-controller", any}}};
}

LeaderMigrationResult parse_leader_migration(std::string_view text, const std::string& path) {
  LeaderMigrationResult result;
  const YamlDocument document = parse_yaml(text, path);
  result.mistakes = document.mistakes;
  if (result.mistakes.empty()) read_migration(document.root, path, result);
  return result;
}

LeaderMigrationResult load_leader_migration(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (text) return parse_leader_migration(*text, path);
  LeaderMigrationResult result;
  result.mistakes.push_back({path, 0, 0, text.error().message()});
  return result;
}

}  // namespace davit::host
