// Webhooks, admission policies, priority and fairness, devices, and addresses.
#include <array>

#include "sandbox/kinds/age_text.hpp"
#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {
namespace {

Json count_of(const Json& list) { return Json(static_cast<std::int64_t>(list.size())); }

Json::Items webhook_cells(const Json& object, WallTime now) {
  return {name_of(object), count_of(object.get("webhooks")), age_of(object, now)};
}

/// "apps/v1/Deployment"
std::string param_kind_text(const Json& object) {
  const Json& kind = value_at(object, {"spec", "paramKind"});
  if (!kind.is_object()) return "<unset>";
  return kind.text_at({"apiVersion"}) + '/' + kind.text_at({"kind"});
}

Json::Items validating_policy_cells(const Json& object, WallTime now) {
  return {name_of(object), count_of(value_at(object, {"spec", "validations"})),
          param_kind_text(object), age_of(object, now)};
}

Json::Items mutating_policy_cells(const Json& object, WallTime now) {
  return {name_of(object), count_of(value_at(object, {"spec", "mutations"})),
          param_kind_text(object), age_of(object, now)};
}

/// "namespace/name", "*/name" without a namespace.
std::string param_ref_text(const Json& object) {
  const Json& ref = value_at(object, {"spec", "paramRef"});
  if (!ref.is_object()) return "<unset>";
  const std::string& name = ref.text_at({"name"});
  const std::string& ns = ref.text_at({"namespace"});
  if (name.empty()) return selector_text(ref.get("selector"));
  return (ns.empty() ? "*" : ns) + '/' + name;
}

Json::Items policy_binding_cells(const Json& object, WallTime now) {
  return {name_of(object), object.text_at({"spec", "policyName"}), param_ref_text(object),
          age_of(object, now)};
}

Json::Items flow_schema_cells(const Json& object, WallTime now) {
  std::string missing = "?";
  for (const Json& each : value_at(object, {"status", "conditions"}).items()) {
    if (each.text_at({"type"}) == "Dangling") missing = each.text_at({"status"});
  }
  return {name_of(object),
          object.text_at({"spec", "priorityLevelConfiguration", "name"}),
          number_at(object, {"spec", "matchingPrecedence"}),
          text_or(object, {"spec", "distinguisherMethod", "type"}),
          age_of(object, now),
          missing};
}

Json number_or_none(const Json& value) { return value.is_number() ? value : Json("<none>"); }

Json::Items priority_level_cells(const Json& object, WallTime now) {
  const Json& limited = value_at(object, {"spec", "limited"});
  const Json& queuing = value_at(limited, {"limitResponse", "queuing"});
  return {name_of(object),
          object.text_at({"spec", "type"}),
          number_or_none(limited.get("nominalConcurrencyShares")),
          number_or_none(queuing.get("queues")),
          number_or_none(queuing.get("handSize")),
          number_or_none(queuing.get("queueLengthLimit")),
          age_of(object, now)};
}

Json::Items name_and_age(const Json& object, WallTime now) {
  return {name_of(object), age_of(object, now)};
}

Json::Items resource_claim_cells(const Json& object, WallTime now) {
  std::vector<std::string> states;
  if (!object.text_at({"metadata", "deletionTimestamp"}).empty()) states.emplace_back("deleted");
  const Json& status = object.get("status");
  states.emplace_back(status.get("allocation").is_object() ? "allocated" : "pending");
  if (!status.get("reservedFor").items().empty()) states.emplace_back("reserved");
  if (states.size() > 1 && states[states.size() - 1] == "pending") states.pop_back();
  return {name_of(object), join_texts(states, ","), age_of(object, now)};
}

Json::Items resource_slice_cells(const Json& object, WallTime now) {
  std::string node = text_or(object, {"spec", "nodeName"}, "<unset>");
  if (value_at(object, {"spec", "allNodes"}).boolean()) node = "<all>";
  return {name_of(object), node, object.text_at({"spec", "driver"}),
          object.text_at({"spec", "pool", "name"}), age_of(object, now)};
}

Json::Items device_taint_rule_cells(const Json& object, WallTime now) {
  const Json& taint = value_at(object, {"spec", "taint"});
  const Json& added = taint.get("timeAdded");
  return {name_of(object),
          taint.get("key").text(),
          taint.get("value").text(),
          taint.get("effect").text(),
          added.is_null() ? std::string() : human_age(added.text(), now),
          age_of(object, now)};
}

Json::Items service_cidr_cells(const Json& object, WallTime now) {
  std::vector<std::string> cidrs;
  for (const Json& each : value_at(object, {"spec", "cidrs"}).items()) {
    cidrs.push_back(each.text());
  }
  return {name_of(object), join_texts(cidrs, ","), age_of(object, now)};
}

/// "services/default/kubernetes", with the group in front where there is one.
Json::Items ip_address_cells(const Json& object, WallTime) {
  const Json& parent = value_at(object, {"spec", "parentRef"});
  std::vector<std::string> parts;
  for (const std::string_view part : {"group", "resource", "namespace", "name"}) {
    if (!parent.get(part).text().empty()) parts.push_back(parent.get(part).text());
  }
  return {name_of(object), join_texts(parts, "/")};
}

Json::Items attributes_class_cells(const Json& object, WallTime now) {
  return {name_of(object), object.text_at({"driverName"}), age_of(object, now)};
}

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kFlow = "flowcontrol.apiserver.k8s.io";
constexpr std::string_view kDevices = "resource.k8s.io";
// clang-format off
constexpr auto kExtensionCells = std::to_array<KindCells>({
    {kAdmission, "mutatingwebhookconfigurations", webhook_cells},
    {kAdmission, "validatingwebhookconfigurations", webhook_cells},
    {kAdmission, "validatingadmissionpolicies", validating_policy_cells},
    {kAdmission, "mutatingadmissionpolicies", mutating_policy_cells},
    {kAdmission, "validatingadmissionpolicybindings", policy_binding_cells},
    {kAdmission, "mutatingadmissionpolicybindings", policy_binding_cells},
    {kFlow, "flowschemas", flow_schema_cells},
    {kFlow, "prioritylevelconfigurations", priority_level_cells},
    {kDevices, "deviceclasses", name_and_age},
    {kDevices, "resourceclaims", resource_claim_cells},
    {kDevices, "resourceclaimtemplates", name_and_age},
    {kDevices, "resourceslices", resource_slice_cells},
    {kDevices, "devicetaintrules", device_taint_rule_cells},
    {"networking.k8s.io", "servicecidrs", service_cidr_cells},
    {"networking.k8s.io", "ipaddresses", ip_address_cells},
    {"storage.k8s.io", "volumeattributesclasses", attributes_class_cells},
});
// clang-format on

}  // namespace

std::span<const KindCells> extension_cells() { return kExtensionCells; }

}  // namespace davit::sandbox
