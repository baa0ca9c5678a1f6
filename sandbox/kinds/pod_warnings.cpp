#include "sandbox/kinds/pod_warnings.hpp"

#include <map>
#include <set>

#include "sandbox/kinds/app_armor.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/claim_checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

using Warnings = std::vector<std::string>;

std::string quoted_name(const std::string& text) { return '"' + text + '"'; }

/// Volume plugins that are gone, or nearly.
struct OldSource {
  std::string_view field;
  std::string_view path;
  std::string_view message;
};
constexpr OldSource kOldSources[] = {
    {"photonPersistentDisk", "photonPersistentDisk",
     "deprecated in v1.11, non-functional in v1.16+"},
    {"gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
    {"scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"},
    {"storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
    {"quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"},
};

constexpr std::pair<std::string_view, std::string_view> kOldLabels[] = {
    {"beta.kubernetes.io/arch", R"(deprecated since v1.14; use "kubernetes.io/arch" instead)"},
    {"beta.kubernetes.io/os", R"(deprecated since v1.14; use "kubernetes.io/os" instead)"},
    {"failure-domain.beta.kubernetes.io/region",
     R"(deprecated since v1.17; use "topology.kubernetes.io/region" instead)"},
    {"failure-domain.beta.kubernetes.io/zone",
     R"(deprecated since v1.17; use "topology.kubernetes.io/zone" instead)"},
    {"beta.kubernetes.io/instance-type",
     R"(deprecated since v1.17; use "node.kubernetes.io/instance-type" instead)"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", R"(use "node-role.kubernetes.io/control-plane" instead)"},
};

/// Empty for labels that are not deprecated. k8s: GetNodeLabelDeprecatedMessage.
std::string_view advice_on_label(std::string_view key) {
  for (const auto& [label, advice] : kOldLabels) {
    if (label == key) return advice;
  }
  return {};
}

constexpr std::string_view kRequiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

void add_key_warning(const std::string& key, const FieldPath& path, Warnings& out) {
  const std::string_view advice = advice_on_label(key);
  if (!advice.empty()) out.push_back(path.text() + ": " + key + " is " + std::string(advice));
}

/// k8s: GetWarningsForNodeSelectorTerm.
void warn_of_node_term(const Json& term, bool preferred, const FieldPath& path, Warnings& out) {
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const Json& each : term.get("matchExpressions").items()) {
    const FieldPath here = expressions.index(index++);
    add_key_warning(each.get("key").text(), here.child("key"), out);
    if (!preferred) continue;
    const FieldPath values = here.child("values");
    std::size_t value_index = 0;
    for (const Json& value : each.get("values").items()) {
      const FieldPath at = values.index(value_index++);
      for (const std::string& why : check_label_value(value.text())) {
        out.push_back(at.text() + ": " + value.text() + " is invalid, " + why);
      }
    }
  }
}

void warn_of_node_choice(const Json& spec, const FieldPath& path, Warnings& out) {
  const FieldPath selector = path.child("nodeSelector");
  for (const Json::Member& each : spec.get("nodeSelector").members()) {
    const std::string_view advice = advice_on_label(each.key);
    if (advice.empty()) continue;
    out.push_back(selector.key(each.key).text() + ": " + std::string(advice));
  }
  const Json& affinity = spec.get("affinity").get("nodeAffinity");
  const FieldPath here = path.child("affinity.nodeAffinity");
  const FieldPath required = here.child(kRequiredTerms);
  const FieldPath terms = required.child("nodeSelectorTerms");
  std::size_t index = 0;
  for (const Json& each : affinity.get(kRequiredTerms).get("nodeSelectorTerms").items()) {
    warn_of_node_term(each, false, terms.index(index++), out);
  }
  const FieldPath preferred = here.child(kPreferredTerms);
  index = 0;
  for (const Json& each : affinity.get(kPreferredTerms).items()) {
    const FieldPath term = preferred.index(index++);
    warn_of_node_term(each.get("preference"), true, term.child("preference"), out);
  }
}

void warn_of_missing_selector(const Json& holder, const FieldPath& path, Warnings& out) {
  if (is_set(holder, "labelSelector")) return;
  out.push_back(path.text("labelSelector") + ": a null labelSelector results in matching no pod");
}

void warn_of_spread(const Json& spec, const FieldPath& path, Warnings& out) {
  const FieldPath constraints = path.child("topologySpreadConstraints");
  std::size_t index = 0;
  for (const Json& each : spec.get("topologySpreadConstraints").items()) {
    const FieldPath here = constraints.index(index++);
    add_key_warning(each.get("topologyKey").text(), here.child("topologyKey"), out);
    warn_of_missing_selector(each, here, out);
  }
}

void warn_of_pod_affinity(const Json& affinity, const FieldPath& path, Warnings& out) {
  const FieldPath required = path.child(kRequiredTerms);
  std::size_t index = 0;
  for (const Json& each : affinity.get(kRequiredTerms).items()) {
    warn_of_missing_selector(each, required.index(index++), out);
  }
  const FieldPath preferred = path.child(kPreferredTerms);
  index = 0;
  for (const Json& each : affinity.get(kPreferredTerms).items()) {
    const FieldPath term = preferred.index(index++);
    warn_of_missing_selector(each.get("podAffinityTerm"), term.child("podAffinityTerm"), out);
  }
}

void warn_of_annotations(const Json& annotations, const FieldPath& path, Warnings& out) {
  constexpr std::pair<std::string_view, std::string_view> kOld[] = {
      {"scheduler.alpha.kubernetes.io/critical-pod",
       R"(non-functional in v1.16+; use the "priorityClassName" field instead)"},
      {"security.alpha.kubernetes.io/sysctls",
       R"(non-functional in v1.11+; use the "sysctls" field instead)"},
      {"security.alpha.kubernetes.io/unsafe-sysctls",
       R"(non-functional in v1.11+; use the "sysctls" field instead)"},
  };
  for (const auto& [key, message] : kOld) {
    if (annotations.contains(key))
      out.push_back(path.key(key).text() + ": " + std::string(message));
  }
}

void warn_of_volumes(const Json& volumes, const FieldPath& path, Warnings& out) {
  std::size_t index = 0;
  for (const Json& each : volumes.items()) {
    const FieldPath here = path.index(index++);
    for (const OldSource& old : kOldSources) {
      if (!is_set(each, old.field)) continue;
      out.push_back(here.text(old.path) + ": " + std::string(old.message));
    }
    if (const Json* claim = each.at({"ephemeral", "volumeClaimTemplate", "spec"})) {
      add_claim_warnings(*claim, here.child("ephemeral.volumeClaimTemplate.spec"), out);
    }
  }
  for (const Json& each : volumes.items()) {
    for (const Json& source : each.get("projected").get("sources").items()) {
      if (source.size() != 0) continue;
      out.push_back("volume " + quoted_name(each.get("name").text()) +
                    " (Projected) has no sources provided");
    }
  }
}

/// Two elements with one value of `field`.
void warn_of_repeats(const Json& list, std::string_view field, std::string_view what,
                     const FieldPath& path, Warnings& out) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : list.items()) {
    const FieldPath here = path.index(index++);
    const std::string& value = each.get(field).text();
    if (seen.insert(value).second) continue;
    out.push_back(here.text(field) + ": duplicate " + std::string(what) + ' ' + quoted_name(value));
  }
}

void warn_of_pull_secrets(const Json& secrets, const FieldPath& path, Warnings& out) {
  warn_of_repeats(secrets, "name", "name", path, out);
  std::size_t index = 0;
  for (const Json& each : secrets.items()) {
    const FieldPath here = path.index(index++);
    if (each.get("name").empty()) {
      out.push_back(here.text("name") + ": invalid empty name \"\"");
    }
  }
}

/// A variable that replaces an earlier one without using its value.
void warn_of_variables(const Json& variables, const FieldPath& path, Warnings& out) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : variables.items()) {
    const FieldPath here = path.index(index++);
    const std::string& name = each.get("name").text();
    if (seen.insert(name).second) continue;
    const std::string use = "$(" + name + ')';
    const std::string& value = each.get("value").text();
    const bool extends =
        !is_set(each, "valueFrom") && value != use && value.find(use) != std::string::npos;
    if (extends) continue;
    out.push_back(here.text() + ": hides previous definition of " + quoted_name(name) +
                  ", which may be dropped when using apply");
  }
}

void warn_of_container(const Json& container, const FieldPath& path, Warnings& out) {
  const Json& resources = container.get("resources");
  const FieldPath here = path.child("resources");
  for (const std::string_view resource : {"memory", "ephemeral-storage"}) {
    add_fraction_warning(resources.get("limits"), resource, here.child("limits"), out);
    add_fraction_warning(resources.get("requests"), resource, here.child("requests"), out);
  }
  warn_of_variables(container.get("env"), path.child("env"), out);
}

constexpr std::string_view kSeccompPod = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kSeccompContainer = "container.seccomp.security.alpha.kubernetes.io/";

void warn_of_seccomp(const Json& pod, const FieldPath& path, Warnings& out) {
  constexpr std::string_view kNoSeccomp =
      R"(: non-functional in v1.27+; use the "seccompProfile" field instead)";
  const Json& spec = pod.get("spec");
  const Json& annotations = pod.get("metadata").get("annotations");
  if (annotations.size() == 0) return;
  const FieldPath metadata = path.child("metadata");
  const FieldPath here = metadata.child("annotations");
  const auto warn = [&](std::string_view key, std::string_view why) {
    out.push_back(here.key(key).text() + std::string(why));
  };
  if (annotations.contains(kSeccompPod) && !is_set(spec.get("securityContext"), "seccompProfile")) {
    warn(kSeccompPod, kNoSeccomp);
  }
  visit_containers(spec, path.child("spec"), [&](const Json& container, const FieldPath&) {
    const Json& context = container.get("securityContext");
    const std::string seccomp = std::string(kSeccompContainer) + container.get("name").text();
    if (annotations.contains(seccomp) && !is_set(context, "seccompProfile")) {
      warn(seccomp, kNoSeccomp);
    }
  });
}

/// A pod's container has got the profile of its annotation; that of a template has not.
void warn_of_app_armor(const Json& pod, bool is_template, const FieldPath& path, Warnings& out) {
  const Json& annotations = pod.get("metadata").get("annotations");
  if (annotations.size() == 0) return;
  const Json& spec = pod.get("spec");
  const Json& whole = spec.get("securityContext").get("appArmorProfile");
  const FieldPath metadata = path.child("metadata");
  const FieldPath here = metadata.child("annotations");
  visit_containers(spec, path.child("spec"), [&](const Json& container, const FieldPath&) {
    const std::string key = std::string(kAppArmorPrefix) + container.get("name").text();
    if (!annotations.contains(key)) return;
    const Json profile = app_armor_profile(annotations.get(key).text());
    const Json& own = container.get("securityContext").get("appArmorProfile");
    if (!(is_template ? own.is_null() : own == profile)) return;
    if (!profile.is_null() && profile == whole) return;
    out.push_back(here.key(key).text() +
                  R"(: deprecated since v1.30; use the "appArmorProfile" field instead)");
  });
}

/// A port of any container, and where it stands.
struct SeenPort {
  std::string path;
  std::int64_t host_port = 0;
  std::string host_ip;
};

/// Empty if the two, which have one number and protocol, are clearly apart.
std::string_view port_conflict(const SeenPort& port, const SeenPort& other) {
  if (port.host_ip == other.host_ip && port.host_port == other.host_port) {
    return "duplicate port definition with ";
  }
  if (port.host_port == 0 || other.host_port == 0) return "overlapping port definition with ";
  if (port.host_port == other.host_port && port.host_ip.empty() != other.host_ip.empty()) {
    return "dangerously ambiguous port definition with ";
  }
  return {};
}

/// As Go prints the struct.
std::string port_text(const Json& port) {
  return "{Name:" + port.get("name").text() +
         " HostPort:" + std::to_string(port.get("hostPort").integer_or(0)) +
         " ContainerPort:" + std::to_string(port.get("containerPort").integer_or(0)) +
         " Protocol:" + port.get("protocol").text() + " HostIP:" + port.get("hostIP").text() + '}';
}

void warn_of_ports(const Json& spec, const FieldPath& path, Warnings& out) {
  std::map<std::string, std::vector<SeenPort>> seen;
  visit_containers(spec, path, [&](const Json& container, const FieldPath& here) {
    const FieldPath ports = here.child("ports");
    std::size_t index = 0;
    for (const Json& each : container.get("ports").items()) {
      const SeenPort port{ports.index(index++).text(), each.get("hostPort").integer_or(0),
                          each.get("hostIP").text()};
      if (!port.host_ip.empty() && port.host_port == 0) {
        out.push_back(port.path + ": hostIP set without hostPort: " + port_text(each));
      }
      std::vector<SeenPort>& others = seen[std::to_string(each.get("containerPort").integer_or(0)) +
                                           '/' + each.get("protocol").text()];
      for (const SeenPort& other : others) {
        const std::string_view conflict = port_conflict(port, other);
        if (!conflict.empty()) out.push_back(port.path + ": " + std::string(conflict) + other.path);
      }
      others.push_back(port);
    }
  });
}

void warn_of_port_names(const Json& spec, const FieldPath& path, Warnings& out) {
  std::map<std::string, std::string> seen;
  visit_containers(spec, path, [&](const Json& container, const FieldPath& here) {
    const FieldPath ports = here.child("ports");
    std::size_t index = 0;
    for (const Json& each : container.get("ports").items()) {
      const std::string at = ports.index(index++).text();
      const std::string& name = each.get("name").text();
      if (name.empty()) continue;
      const auto [first, added] = seen.emplace(name, at);
      if (added) continue;
      out.push_back(at + ": duplicate port name " + quoted_name(name) + " with " + first->second +
                    ", services and probes that select ports by name will use " + first->second);
    }
  });
}

}  // namespace

void add_app_armor_warnings(const Json& pod, std::vector<std::string>& out) {
  warn_of_app_armor(pod, false, FieldPath(), out);
}

void add_template_warnings(const Json& pod, const FieldPath& path, std::vector<std::string>& out) {
  add_pod_warnings(pod, path, out);
  warn_of_app_armor(pod, true, path, out);
}

void add_pod_warnings(const Json& pod, const FieldPath& path, std::vector<std::string>& out) {
  const Json& spec = pod.get("spec");
  const FieldPath here = path.child("spec");
  warn_of_node_choice(spec, here, out);
  warn_of_spread(spec, here, out);
  const FieldPath metadata = path.child("metadata");
  warn_of_annotations(pod.get("metadata").get("annotations"), metadata.child("annotations"), out);
  warn_of_volumes(spec.get("volumes"), here.child("volumes"), out);
  warn_of_repeats(spec.get("hostAliases"), "ip", "ip", here.child("hostAliases"), out);
  warn_of_pull_secrets(spec.get("imagePullSecrets"), here.child("imagePullSecrets"), out);
  for (const std::string_view resource : {"memory", "ephemeral-storage"}) {
    add_fraction_warning(spec.get("overhead"), resource, here.child("overhead"), out);
  }
  warn_of_seccomp(pod, path, out);
  visit_containers(spec, here, [&](const Json& container, const FieldPath& at) {
    warn_of_container(container, at, out);
  });
  warn_of_ports(spec, here, out);
  warn_of_port_names(spec, here, out);
  if (spec.get("terminationGracePeriodSeconds").integer_or(0) < 0) {
    out.push_back(here.text("terminationGracePeriodSeconds") +
                  ": must be >= 0; negative values are invalid and will be treated as 1");
  }
  warn_of_pod_affinity(spec.get("affinity").get("podAffinity"), here.child("affinity.podAffinity"),
                       out);
  warn_of_pod_affinity(spec.get("affinity").get("podAntiAffinity"),
                       here.child("affinity.podAntiAffinity"), out);
}

}  // namespace davit::sandbox
