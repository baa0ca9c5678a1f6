#include "sandbox/kinds/pod_update.hpp"

#include <limits>
#include <set>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kOnlyAdditions =
    "only additions are allowed (no mutations or deletions)";
constexpr std::string_view kMayChange =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set "
    "to 1 if it was previously negative)\n";

enum class Next : std::uint8_t { kGoOn, kStop };

bool is_padded(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  return !text.empty() && (kBlanks.find(text.front()) != std::string_view::npos ||
                           kBlanks.find(text.back()) != std::string_view::npos);
}

Next check_images(const Json& containers, const Json& old, const FieldPath& path,
                  FieldErrors& errors) {
  if (containers.size() != old.size()) {
    errors.push_back(field_forbidden(path.text(), "pod updates may not add or remove containers"));
    return Next::kStop;
  }
  std::size_t index = 0;
  for (const Json& each : containers.items()) {
    const FieldPath here = path.index(index++);
    require_text(each, "image", here, errors);
    if (is_padded(each.get("image").text())) {
      errors.push_back(field_invalid(here.text("image"), each.get("image"),
                                     "must not have leading or trailing whitespace"));
    }
  }
  return Next::kGoOn;
}

Next check_deadline_update(const Json& spec, const Json& old, const FieldPath& path,
                           FieldErrors& errors) {
  const Json& seconds = spec.get("activeDeadlineSeconds");
  const Json& before = old.get("activeDeadlineSeconds");
  const std::string field = path.text("activeDeadlineSeconds");
  if (seconds.is_null()) {
    if (!before.is_null()) {
      errors.push_back(
          field_invalid(field, seconds, "must not update from a positive integer to nil value"));
    }
    return Next::kGoOn;
  }
  const std::int64_t value = seconds.integer_or(-1);
  // No column: new pods may not have 0.
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    errors.push_back(field_invalid(field, seconds, "must be between 0 and 2147483647, inclusive"));
    return Next::kStop;
  }
  if (!before.is_null() && before.integer_or(0) < value) {
    errors.push_back(field_invalid(field, seconds, "must be less than or equal to previous value"));
    return Next::kStop;
  }
  return Next::kGoOn;
}

Json without(Json object, std::string_view key) {
  object.erase(key);
  return object;
}

void check_toleration_update(const Json& tolerations, const Json& old, const FieldPath& path,
                             FieldErrors& errors) {
  if (tolerations == old) return;
  for (const Json& each : old.items()) {
    const Json wanted = without(each, "tolerationSeconds");
    bool found = false;
    for (const Json& now : tolerations.items()) {
      found = found || without(now, "tolerationSeconds") == wanted;
    }
    if (!found) {
      errors.push_back(field_forbidden(
          path.text(), "existing toleration can not be modified except its tolerationSeconds"));
      return;
    }
  }
  check_tolerations(tolerations, path, errors);
}

void check_gate_update(const Json& gates, const Json& old, const FieldPath& path,
                       FieldErrors& errors) {
  std::set<std::string> before;
  for (const Json& each : old.items()) before.insert(each.get("name").text());
  std::size_t index = 0;
  for (const Json& each : gates.items()) {
    const FieldPath here = path.index(index++);
    const std::string& name = each.get("name").text();
    if (before.contains(name)) continue;
    errors.push_back(
        field_forbidden(here.text("name"),
                        "only deletion is allowed, but found new scheduling gate '" + name + "'"));
  }
}

/// While a pod is gated, the choice of its node may become narrower.
void check_node_selector_update(const Json& selector, const Json& old, const FieldPath& path,
                                FieldErrors& errors) {
  for (const Json::Member& each : old.members()) {
    if (selector.get(each.key) == each.value) continue;
    errors.push_back(field_invalid(path.text(), selector, kOnlyAdditions));
    return;
  }
}

void check_node_affinity_update(const Json& affinity, const Json& old, const FieldPath& path,
                                FieldErrors& errors) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const Json& terms = affinity.get(kRequired).get("nodeSelectorTerms");
  const Json& before = old.get(kRequired).get("nodeSelectorTerms");
  if (before.size() == 0) return;
  const FieldPath required = path.child(kRequired);
  const FieldPath list = required.child("nodeSelectorTerms");
  if (terms.size() != before.size()) {
    errors.push_back(
        field_invalid(list.text(), terms,
                      "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Json& now = terms.items()[i].get("matchExpressions");
    const Json& then = before.items()[i].get("matchExpressions");
    bool kept = now.size() >= then.size();
    for (std::size_t j = 0; kept && j < then.size(); ++j) {
      kept = now.items()[j] == then.items()[j];
    }
    if (!kept)
      errors.push_back(field_invalid(list.index(i).text(), terms.items()[i], kOnlyAdditions));
  }
}

void take(Json& spec, const Json& old, std::string_view field) {
  if (const Json* value = old.find(field)) {
    spec.set(field, *value);
  } else {
    spec.erase(field);
  }
}

void take_images(Json& spec, const Json& old, std::string_view list) {
  Json* containers = spec.find(list);
  if (containers == nullptr || !containers->is_array()) return;
  Json::Items& items = containers->make_array();
  for (std::size_t i = 0; i < items.size(); ++i) take(items[i], old.get(list).items()[i], "image");
}

/// The difference in the manner of Go's cmp.Diff, for people.
std::string difference(const Json& spec, const Json& old) {
  std::string out;
  const auto add = [&](char sign, const std::string& key, const Json& value) {
    out.append(1, sign).append(" \t").append(key).append(": ").append(to_text(value)) += ",\n";
  };
  for (const Json::Member& each : old.members()) {
    const Json& now = spec.get(each.key);
    if (now == each.value) continue;
    add('-', each.key, each.value);
    if (!now.is_null()) add('+', each.key, now);
  }
  for (const Json::Member& each : spec.members()) {
    if (!each.value.is_null() && old.get(each.key).is_null()) add('+', each.key, each.value);
  }
  return out;
}

/// `spec` with what may change put back; what then differs may not.
Json with_changeable_fields_of(const Json& spec, const Json& old, FieldErrors& errors) {
  const FieldPath path("spec");
  Json out = spec;
  take_images(out, old, "containers");
  take_images(out, old, "initContainers");
  take(out, old, "activeDeadlineSeconds");
  take(out, old, "schedulingGates");
  take(out, old, "tolerations");
  const Json& grace = old.get("terminationGracePeriodSeconds");
  if (grace.integer_or(0) < 0 && out.get("terminationGracePeriodSeconds") == Json(1)) {
    take(out, old, "terminationGracePeriodSeconds");
  }
  if (old.get("schedulingGates").size() == 0) return out;
  check_node_selector_update(out.get("nodeSelector"), old.get("nodeSelector"),
                             path.child("nodeSelector"), errors);
  take(out, old, "nodeSelector");
  check_node_affinity_update(out.get("affinity").get("nodeAffinity"),
                             old.get("affinity").get("nodeAffinity"),
                             path.child("affinity.nodeAffinity"), errors);
  if (Json* affinity = out.find("affinity"); affinity != nullptr && affinity->is_object()) {
    take(*affinity, old.get("affinity"), "nodeAffinity");
    if (affinity->size() == 0) take(out, old, "affinity");
  } else {
    take(out, old, "affinity");
  }
  return out;
}

/// k8s: ValidateContainerStateTransition.
void check_container_states(const Json& statuses, const Json& old, const std::string& policy,
                            const FieldPath& path, FieldErrors& errors) {
  if (policy == "Always") return;
  std::size_t index = 0;
  for (const Json& each : old.items()) {
    const FieldPath here = path.index(index++);
    const Json& end = each.get("state").get("terminated");
    if (end.is_null()) continue;
    if (end.get("exitCode").integer_or(0) != 0 && policy == "OnFailure") continue;
    for (const Json& now : statuses.items()) {
      if (now.get("name") == each.get("name") && !is_set(now.get("state"), "terminated")) {
        errors.push_back(
            field_forbidden(here.text("state"), "may not be transitioned to non-terminated state"));
      }
    }
  }
}

/// Init containers with restartPolicy Always are sidecars: they may.
Json without_sidecars(const Json& statuses, const Json& spec) {
  Json out = statuses;
  if (!out.is_array()) return out;
  for (const Json& each : spec.get("initContainers").items()) {
    if (each.get("restartPolicy").text() != "Always") continue;
    for (Json& status : out.make_array()) {
      if (status.get("name") == each.get("name")) status.erase("state");
    }
  }
  return out;
}

void check_ips(const Json& list, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  std::size_t six = 0;
  std::set<std::string> seen;
  for (const Json& each : list.items()) {
    const std::string& ip = each.get("ip").text();
    const FieldPath here = path.index(index++);
    add_invalid(check_ip(ip), ip, here, errors);
    six += is_ipv6(ip) ? 1 : 0;
    if (!seen.insert(ip).second) errors.push_back(field_duplicate(here.text(), each));
  }
  if (list.size() > 1 && (list.size() > 2 || six != 1)) {
    errors.push_back(
        field_invalid(path.text(), list, "may specify no more than one IP for each IP family"));
  }
}

}  // namespace

void check_pod_spec_update(const Json& spec, const Json& old, FieldErrors& errors) {
  const FieldPath path("spec");
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (check_images(spec.get(list), old.get(list), path.child(list), errors) == Next::kStop) {
      return;
    }
  }
  if (check_deadline_update(spec, old, path, errors) == Next::kStop) return;
  check_toleration_update(spec.get("tolerations"), old.get("tolerations"),
                          path.child("tolerations"), errors);
  check_gate_update(spec.get("schedulingGates"), old.get("schedulingGates"),
                    path.child("schedulingGates"), errors);
  if (spec == old) return;
  const Json rest = with_changeable_fields_of(spec, old, errors);
  if (rest == old) return;
  errors.push_back(field_forbidden("spec", std::string(kMayChange) + difference(rest, old)));
}

void check_pod_status_update(const Json& pod, const Json& old, FieldErrors& errors) {
  const FieldPath path("status");
  const Json& status = pod.get("status");
  const Json& before = old.get("status");
  const Json& nominated = status.get("nominatedNodeName");
  if (nominated != before.get("nominatedNodeName") && !nominated.empty()) {
    add_invalid(check_dns_subdomain(nominated.text()), nominated.text(),
                path.child("nominatedNodeName"), errors);
  }
  check_immutable(status, before, "qosClass", path, errors);
  const Json& spec = old.get("spec");
  const std::string& policy = spec.get("restartPolicy").text();
  check_container_states(status.get("containerStatuses"), before.get("containerStatuses"), policy,
                         path.child("containerStatuses"), errors);
  check_container_states(status.get("initContainerStatuses"),
                         without_sidecars(before.get("initContainerStatuses"), spec), policy,
                         path.child("initContainerStatuses"), errors);
  check_container_states(status.get("ephemeralContainerStatuses"),
                         before.get("ephemeralContainerStatuses"), "Never",
                         path.child("ephemeralContainerStatuses"), errors);
  check_ips(status.get("podIPs"), path.child("podIPs"), errors);
  const Json& host_ips = status.get("hostIPs");
  if (host_ips.size() == 0) return;
  const Json& first = host_ips.items().front().get("ip");
  if (first.text() != status.get("hostIP").text()) {
    errors.push_back(field_invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"));
  }
  check_ips(host_ips, path.child("hostIPs"), errors);
}

void align_pod_ips(Json& status) {
  const std::string ip = status.get("podIP").text();
  const Json& list = status.get("podIPs");
  const std::string first = list.size() == 0 ? "" : list.items().front().get("ip").text();
  if (ip == first) return;
  if (ip.empty()) {
    status.set("podIP", first);
  } else {
    status.set("podIPs", Json::array({Json::object({{"ip", ip}})}));
  }
}

}  // namespace davit::sandbox
