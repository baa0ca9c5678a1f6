#include <algorithm>
#include <set>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kSpreadConstraint = "core.v1.TopologySpreadConstraint";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void check_node_requirement(const Json& requirement, const FieldPath& path, FieldErrors& errors) {
  const std::string& operation = requirement.get("operator").text();
  const std::size_t values = requirement.get("values").size();
  if (operation == "In" || operation == "NotIn") {
    if (values == 0) {
      errors.push_back(field_required(path.text("values"),
                                      "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (values != 0) {
      errors.push_back(
          field_forbidden(path.text("values"),
                          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else if (operation == "Gt" || operation == "Lt") {
    if (values != 1) {
      errors.push_back(field_required(
          path.text("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    }
  } else {
    errors.push_back(
        field_invalid(path.text("operator"), operation, "not a valid selector operator"));
  }
  check_fields("core.v1.NodeSelectorRequirement", requirement, path, errors);
}

/// A node can be chosen by one field only, metadata.name.
void check_node_field(const Json& requirement, const FieldPath& path, FieldErrors& errors) {
  const std::string& operation = requirement.get("operator").text();
  if (operation != "In" && operation != "NotIn") {
    errors.push_back(
        field_invalid(path.text("operator"), operation, "not a valid selector operator"));
  } else if (requirement.get("values").size() != 1) {
    errors.push_back(field_required(
        path.text("values"),
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  const std::string& key = requirement.get("key").text();
  if (key != "metadata.name") {
    errors.push_back(field_invalid(path.text("key"), key, "not a valid field selector key"));
    return;
  }
  const FieldPath values = path.child("values");
  std::size_t index = 0;
  for (const Json& each : requirement.get("values").items()) {
    add_invalid(check_dns_subdomain(each.text()), each.text(), values.index(index++), errors);
  }
}

void check_node_term(const Json& term, const FieldPath& path, FieldErrors& errors) {
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const Json& each : term.get("matchExpressions").items()) {
    check_node_requirement(each, expressions.index(index++), errors);
  }
  const FieldPath fields = path.child("matchFields");
  index = 0;
  for (const Json& each : term.get("matchFields").items()) {
    check_node_field(each, fields.index(index++), errors);
  }
}

void check_node_affinity(const Json& affinity, const FieldPath& path, FieldErrors& errors) {
  if (is_set(affinity, kRequired)) {
    check_node_selector(affinity.get(kRequired), path.child(kRequired), errors);
  }
  const FieldPath preferred = path.child(kPreferred);
  std::size_t index = 0;
  for (const Json& each : affinity.get(kPreferred).items()) {
    const FieldPath term = preferred.index(index++);
    check_fields("core.v1.PreferredSchedulingTerm", each, term, errors);
    check_node_term(each.get("preference"), term.child("preference"), errors);
  }
}

/// Keys that a selector takes from the pod's labels.
void check_label_keys(const Json& keys, const Json& selector, const FieldPath& path,
                      FieldErrors& errors) {
  if (keys.size() == 0) return;
  if (selector.is_null()) {
    errors.push_back(
        field_forbidden(path.text(), "must not be specified when labelSelector is not set"));
    return;
  }
  std::size_t index = 0;
  for (const Json& each : keys.items()) {
    add_invalid(check_qualified_name(each.text()), each.text(), path.index(index++), errors);
  }
}

/// `holder` has matchLabelKeys, and a term of affinity mismatchLabelKeys, too.
/// k8s: ValidateMatchLabelKeysAndMismatchLabelKeys.
void check_match_label_keys(const Json& holder, const FieldPath& path, FieldErrors& errors) {
  const Json& selector = holder.get("labelSelector");
  const Json& keys = holder.get("matchLabelKeys");
  const Json& others = holder.get("mismatchLabelKeys");
  const FieldPath keys_path = path.child("matchLabelKeys");
  check_label_keys(keys, selector, keys_path, errors);
  check_label_keys(others, selector, path.child("mismatchLabelKeys"), errors);
  const Json::Items& list = keys.items();
  std::set<std::string> in_selector;
  for (const Json::Member& each : selector.get("matchLabels").members()) {
    in_selector.insert(each.key);
  }
  for (const Json& each : selector.get("matchExpressions").items()) {
    const Json& key = each.get("key");
    const auto found = std::find(list.begin(), list.end(), key);
    if (found != list.end() && in_selector.contains(key.text())) {
      // Upstream leaves out the field.
      const FieldPath here = path.index(static_cast<std::size_t>(found - list.begin()));
      errors.push_back(
          field_invalid(here.text(), key, "exists in both matchLabelKeys and labelSelector"));
    }
    in_selector.insert(key.text());
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json::Items& mismatches = others.items();
    if (std::find(mismatches.begin(), mismatches.end(), list[i]) == mismatches.end()) continue;
    errors.push_back(field_invalid(keys_path.index(i).text(), list[i],
                                   "exists in both matchLabelKeys and mismatchLabelKeys"));
  }
}

void check_pod_term(const Json& term, const FieldPath& path, FieldErrors& errors) {
  check_label_selector(term.get("labelSelector"), path.child("labelSelector"), errors);
  check_label_selector(term.get("namespaceSelector"), path.child("namespaceSelector"), errors);
  for (const Json& each : term.get("namespaces").items()) {
    add_invalid(check_dns_label(each.text()), each.text(), path.child("namespace"), errors);
  }
  check_match_label_keys(term, path, errors);
  const std::string& key = term.get("topologyKey").text();
  // No column: an empty key has the violations about its syntax, too.
  if (key.empty()) {
    errors.push_back(field_required(path.text("topologyKey"), "can not be empty"));
  }
  add_invalid(check_qualified_name(key), key, path.child("topologyKey"), errors);
}

void check_pod_affinity(const Json& affinity, const FieldPath& path, FieldErrors& errors) {
  const FieldPath required = path.child(kRequired);
  std::size_t index = 0;
  for (const Json& each : affinity.get(kRequired).items()) {
    check_pod_term(each, required.index(index++), errors);
  }
  const FieldPath preferred = path.child(kPreferred);
  index = 0;
  for (const Json& each : affinity.get(kPreferred).items()) {
    const FieldPath term = preferred.index(index++);
    check_fields("core.v1.WeightedPodAffinityTerm", each, term, errors);
    check_pod_term(each.get("podAffinityTerm"), term.child("podAffinityTerm"), errors);
  }
}

void check_toleration_value(const Json& toleration, const FieldPath& path, FieldErrors& errors) {
  const std::string& operation = toleration.get("operator").text();
  const std::string& value = toleration.get("value").text();
  if (operation.empty() || operation == "Equal") {
    std::string joined;
    for (const std::string& each : check_label_value(value)) {
      joined += (joined.empty() ? "" : ";") + each;
    }
    // The field is upstream's, although it is the value that is wrong.
    if (!joined.empty()) errors.push_back(field_invalid(path.text("operator"), value, joined));
  } else if (operation == "Exists") {
    if (!value.empty()) {
      errors.push_back(field_invalid(path.text("operator"), value,
                                     "value must be empty when `operator` is 'Exists'"));
    }
  } else {
    errors.push_back(field_not_supported(path.text("operator"), operation, {"Equal", "Exists"}));
  }
}

void check_toleration(const Json& toleration, const FieldPath& path, FieldErrors& errors) {
  const std::string& key = toleration.get("key").text();
  const std::string& operation = toleration.get("operator").text();
  const std::string& effect = toleration.get("effect").text();
  check_fields("core.v1.Toleration", toleration, {"key"}, path, errors);
  if (key.empty() && operation != "Exists") {
    errors.push_back(field_invalid(path.text("operator"), operation,
                                   "operator must be Exists when `key` is empty, which means "
                                   "\"match all values and all keys\""));
  }
  if (is_set(toleration, "tolerationSeconds") && effect != "NoExecute") {
    errors.push_back(field_invalid(path.text("effect"), effect,
                                   "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  check_toleration_value(toleration, path, errors);
  check_fields("core.v1.Toleration", toleration, {"effect"}, path, errors);
}

void check_spread_options(const Json& constraint, const FieldPath& path, FieldErrors& errors) {
  if (is_set(constraint, "minDomains")) {
    const Json& domains = constraint.get("minDomains");
    check_fields(kSpreadConstraint, constraint, {"minDomains"}, path, errors);
    const std::string& action = constraint.get("whenUnsatisfiable").text();
    if (action != "DoNotSchedule") {
      errors.push_back(field_invalid(
          path.text("minDomains"), domains,
          "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action));
    }
  }
  check_fields(kSpreadConstraint, constraint, {"nodeAffinityPolicy", "nodeTaintsPolicy"}, path,
               errors);
  check_match_label_keys(constraint, path, errors);
  check_label_selector(constraint.get("labelSelector"), path.child("labelSelector"), errors);
}

}  // namespace

void check_node_selector(const Json& selector, const FieldPath& path, FieldErrors& errors) {
  check_fields("core.v1.NodeSelector", selector, path, errors);
  const FieldPath terms = path.child("nodeSelectorTerms");
  std::size_t index = 0;
  for (const Json& each : selector.get("nodeSelectorTerms").items()) {
    check_node_term(each, terms.index(index++), errors);
  }
}

void check_affinity(const Json& affinity, const FieldPath& path, FieldErrors& errors) {
  check_node_affinity(affinity.get("nodeAffinity"), path.child("nodeAffinity"), errors);
  check_pod_affinity(affinity.get("podAffinity"), path.child("podAffinity"), errors);
  check_pod_affinity(affinity.get("podAntiAffinity"), path.child("podAntiAffinity"), errors);
}

void check_tolerations(const Json& tolerations, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : tolerations.items()) {
    check_toleration(each, path.index(index++), errors);
  }
}

void check_topology_spread(const Json& constraints, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : constraints.items()) {
    const FieldPath here = path.index(index++);
    check_fields(kSpreadConstraint, each, {"maxSkew", "topologyKey", "whenUnsatisfiable"}, here,
                 errors);
    const std::string& key = each.get("topologyKey").text();
    const std::string& action = each.get("whenUnsatisfiable").text();
    // The earlier of two is named.
    for (std::size_t later = index; later < constraints.size(); ++later) {
      const Json& other = constraints.items()[later];
      if (other.get("topologyKey").text() != key) continue;
      if (other.get("whenUnsatisfiable").text() != action) continue;
      errors.push_back(field_duplicate(here.text("{topologyKey, whenUnsatisfiable}"),
                                       Json("{" + key + ", " + action + "}")));
      break;
    }
    check_spread_options(each, here, errors);
  }
}

void check_scheduling_gates(const Json& gates, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : gates.items()) {
    const FieldPath here = path.index(index++);
    const std::string& name = each.get("name").text();
    add_invalid(check_qualified_name(name), name, here, errors);
    if (!seen.insert(name).second) errors.push_back(field_duplicate(here.text(), name));
  }
}

}  // namespace davit::sandbox
