#include "tests/live/oracle/scenario.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "host/loading/digest.hpp"
#include "lib/base/text_file.hpp"
#include "tests/live/oracle/step_reader.hpp"

namespace davit::oracle {

namespace {

constexpr KindInfo kKinds[] = {
    {"deployment", "Deployment", "apps", "v1", "deployments"},
    {"replicaset", "ReplicaSet", "apps", "v1", "replicasets"},
    {"replicationcontroller", "ReplicationController", "", "v1", "replicationcontrollers"},
    {"daemonset", "DaemonSet", "apps", "v1", "daemonsets"},
    {"statefulset", "StatefulSet", "apps", "v1", "statefulsets"},
    {"controllerrevision", "ControllerRevision", "apps", "v1", "controllerrevisions"},
    {"persistentvolumeclaim", "PersistentVolumeClaim", "", "v1", "persistentvolumeclaims"},
    {"pod", "Pod", "", "v1", "pods"},
    {"service", "Service", "", "v1", "services"},
    {"endpoints", "Endpoints", "", "v1", "endpoints"},
    {"endpointslice", "EndpointSlice", "discovery.k8s.io", "v1", "endpointslices"},
    {"job", "Job", "batch", "v1", "jobs"},
    {"cronjob", "CronJob", "batch", "v1", "cronjobs"},
    {"event", "Event", "", "v1", "events"},
    {"horizontalpodautoscaler", "HorizontalPodAutoscaler", "autoscaling", "v2",
     "horizontalpodautoscalers"},
    {"poddisruptionbudget", "PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets"},
    {"configmap", "ConfigMap", "", "v1", "configmaps"},
    {"secret", "Secret", "", "v1", "secrets"},
    {"serviceaccount", "ServiceAccount", "", "v1", "serviceaccounts"},
    {"resourcequota", "ResourceQuota", "", "v1", "resourcequotas"},
    {"namespace", "Namespace", "", "v1", "namespaces", false},
    {"clusterrole", "ClusterRole", "rbac.authorization.k8s.io", "v1", "clusterroles", false},
    {"node", "Node", "", "v1", "nodes", false},
    {"persistentvolume", "PersistentVolume", "", "v1", "persistentvolumes", false},
    {"storageclass", "StorageClass", "storage.k8s.io", "v1", "storageclasses", false},
    {"volumeattributesclass", "VolumeAttributesClass", "storage.k8s.io", "v1",
     "volumeattributesclasses", false},
    {"volumeattachment", "VolumeAttachment", "storage.k8s.io", "v1", "volumeattachments", false},
    {"servicecidr", "ServiceCIDR", "networking.k8s.io", "v1", "servicecidrs", false},
    {"ipaddress", "IPAddress", "networking.k8s.io", "v1", "ipaddresses", false},
    {"validatingadmissionpolicy", "ValidatingAdmissionPolicy", "admissionregistration.k8s.io", "v1",
     "validatingadmissionpolicies", false},
    {"csidriver", "CSIDriver", "storage.k8s.io", "v1", "csidrivers", false},
    {"certificatesigningrequest", "CertificateSigningRequest", "certificates.k8s.io", "v1",
     "certificatesigningrequests", false},
    {"lease", "Lease", "coordination.k8s.io", "v1", "leases"},
    {"storageversion", "StorageVersion", "internal.apiserver.k8s.io", "v1alpha1", "storageversions",
     false},
    {"storageversionmigration", "StorageVersionMigration", "storagemigration.k8s.io", "v1beta1",
     "storageversionmigrations", false},
    {"resourceclaim", "ResourceClaim", "resource.k8s.io", "v1", "resourceclaims"},
    {"resourceclaimtemplate", "ResourceClaimTemplate", "resource.k8s.io", "v1",
     "resourceclaimtemplates"},
    {"resourceslice", "ResourceSlice", "resource.k8s.io", "v1", "resourceslices", false},
    {"devicetaintrule", "DeviceTaintRule", "resource.k8s.io", "v1beta2", "devicetaintrules", false},
};

/// With the steps below a `repeat` written out.
void read_steps(const YamlNode& list, const Objects& objects, Reader& reader,
                std::vector<Step>& out) {
  for (const YamlNode& each : list.items) {
    if (each.find("repeat") == nullptr) {
      out.push_back(reader.step(each, objects));
      continue;
    }
    reader.keys(each, {"repeat", "steps"});
    const std::size_t times = reader.number(each, "repeat").value_or(0);
    const YamlNode* steps = each.find("steps");
    if (steps == nullptr) reader.mistake(each, "repeat needs steps");
    for (std::size_t i = 0; steps != nullptr && i < times; ++i) {
      reader.set_turn(i + 1);
      read_steps(*steps, objects, reader, out);
    }
    reader.set_turn(0);
  }
}

/// The sum of the scenario and of the objects that it may create; comments and places do not count.
std::string digest_of(const YamlNode& node, const Objects& objects, Reader& reader) {
  constexpr std::size_t kDigits = 16;
  const Result<std::string> text = to_json(node);
  if (!text) {
    reader.mistake(node, text.error().message());
    return "";
  }
  std::string all = *text;
  for (const auto& [name, object] : objects) {
    if (text->find('"' + name + '"') == std::string::npos) continue;
    const Result<std::string> json = to_json(*object);
    if (json) all += '\n' + name + *json;
  }
  return host::sha256_hex(all).substr(0, kDigits);
}

IsolationGroup isolation_of(const YamlNode& node, Reader& reader) {
  using enum IsolationGroup;
  constexpr std::pair<std::string_view, IsolationGroup> kNames[] = {
      {"", kShared},           {"nodes", kNodes},     {"alone", kAlone},     {"podgc", kPodGc},
      {"accounts", kAccounts}, {"metrics", kMetrics}, {"volumes", kVolumes}, {"ipam", kNodeIpam},
      {"lost", kLost},         {"devices", kDevices}};
  const std::string text = reader.text(node, "isolation");
  for (const auto& [name, group] : kNames) {
    if (name == text) return group;
  }
  reader.mistake(
      node, "isolation: nodes, alone, podgc, accounts, metrics, volumes, ipam, lost or devices");
  return kShared;
}

Scenario read_scenario(const YamlNode& node, const Objects& objects, Reader& reader) {
  Scenario out;
  reader.keys(node,
              {"name", "isolation", "compare", "oldest", "servers", "flags", "steps", "expect"});
  out.name = reader.text(node, "name");
  out.place = reader.place(node);
  out.digest = digest_of(node, objects, reader);
  if (out.name.empty()) reader.mistake(node, "a scenario needs a name");
  reader.set_namespace(out.name);
  const std::string oldest = reader.text(node, "oldest");
  out.plays_on_oldest = oldest == "true";
  if (!oldest.empty() && !out.plays_on_oldest) reader.mistake(node, "oldest: true");
  const std::string servers = reader.text(node, "servers");
  out.needs_real_server = servers == "real";
  if (!servers.empty() && !out.needs_real_server) reader.mistake(node, "servers: real");
  out.isolation = isolation_of(node, reader);
  out.flags = reader.texts(node, "flags");
  const bool is_lost = out.isolation == IsolationGroup::kLost;
  if (!out.flags.empty() && out.isolation != IsolationGroup::kNodeIpam && !is_lost)
    reader.mistake(node, "flags need isolation: ipam or lost");
  if (is_lost && !std::ranges::all_of(out.flags, [](const std::string& each) {
        return each == kDisableForceDetach;
      }))
    reader.mistake(node, "flags of isolation: lost: " + std::string(kDisableForceDetach));
  const std::string compare = reader.text(node, "compare");
  if (compare == "ends") out.compare = Compare::kEnds;
  if (compare == "steps") out.compare = Compare::kSteps;
  if (!compare.empty() && out.compare == Compare::kHistory) {
    reader.mistake(node, "compare: ends or steps");
  }
  const YamlNode* steps = node.find("steps");
  if (steps == nullptr || steps->items.empty()) reader.mistake(node, "a scenario needs steps");
  if (steps != nullptr) read_steps(*steps, objects, reader, out.steps);
  const auto has = [&out](Step::Action action) {
    return std::ranges::any_of(out.steps,
                               [action](const Step& each) { return each.action == action; });
  };
  out.has_faults = has(Step::Action::kFault);
  if (out.has_faults && (out.needs_real_server || out.plays_on_oldest))
    reader.mistake(node, "real servers inject no faults");
  if (has(Step::Action::kControllers) && out.isolation != IsolationGroup::kAlone &&
      out.isolation != IsolationGroup::kAccounts && out.isolation != IsolationGroup::kNodeIpam)
    reader.mistake(node, "controllers need isolation: alone, accounts or ipam");
  if (has(Step::Action::kPass) && !is_lost) reader.mistake(node, "pass needs isolation: lost");
  if (has(Step::Action::kMetrics) && out.isolation != IsolationGroup::kMetrics)
    reader.mistake(node, "metrics need isolation: metrics");
  if (const YamlNode* expect = node.find("expect")) {
    for (const YamlNode& each : expect->items) {
      reader.keys(each, {"of", "where", "holds", "count"});
      out.expectations.push_back(reader.condition(each, "of"));
    }
  }
  return out;
}

std::vector<std::filesystem::path> scenario_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.path().extension() == ".yaml") files.push_back(each.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

const KindInfo* find_kind(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindInfo& each) {
    return each.name == name || each.kind == name || each.resource == name;
  });
  return found == std::end(kKinds) ? nullptr : found;
}

Result<std::vector<Scenario>> read_scenarios(std::string_view text, const std::string& file) {
  const YamlDocument document = parse_yaml(text, file);
  if (!document.mistakes.empty()) return Status(Code::kInvalid, document.mistakes.front().str());
  Reader reader(file);
  reader.keys(document.root, {"objects", "scenarios"});
  Objects objects;
  if (const YamlNode* given = document.root.find("objects")) {
    for (const YamlMember& each : given->members) objects[each.key] = &each.value;
  }
  std::vector<Scenario> out;
  std::set<std::string> names;
  if (const YamlNode* list = document.root.find("scenarios")) {
    for (const YamlNode& each : list->items) {
      out.push_back(read_scenario(each, objects, reader));
      if (!names.insert(out.back().name).second) reader.mistake(each, "this name is taken");
    }
  }
  if (!reader.first_mistake().empty()) return Status(Code::kInvalid, reader.first_mistake());
  if (out.empty()) return Status(Code::kInvalid, file + ":1: no scenarios");
  return out;
}

std::vector<Scenario> load_scenarios(const std::string& folder) {
  std::vector<Scenario> out;
  for (const std::filesystem::path& file : scenario_files(folder)) {
    const Result<std::string> text = read_text_file(file);
    Result<std::vector<Scenario>> scenarios =
        text ? read_scenarios(*text, file.filename()) : Result<std::vector<Scenario>>(text.error());
    if (!scenarios) {
      std::fprintf(stderr, "%s: %s\n", folder.c_str(), scenarios.error().message().c_str());
      std::exit(2);
    }
    for (Scenario& each : *scenarios) out.push_back(std::move(each));
  }
  return out;
}

std::vector<ListedScenario> list_scenarios(const std::string& folder) {
  constexpr std::string_view kName = "  - name: ";
  std::vector<ListedScenario> out;
  for (const std::filesystem::path& file : scenario_files(folder)) {
    std::ifstream text(file);
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      if (line.starts_with(kName)) {
        out.push_back(
            {line.substr(kName.size()), file.filename().string() + ':' + std::to_string(number)});
      }
      if (line == "    oldest: true" && !out.empty()) out.back().plays_on_oldest = true;
      if (line == "    servers: real" && !out.empty()) out.back().needs_real_server = true;
    }
  }
  return out;
}

}  // namespace davit::oracle
