#include "sandbox/kinds/cluster_rules.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/resource_names.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kPriorityClass = "scheduling.v1.PriorityClass";
constexpr std::int64_t kUserPriorityMax = 1'000'000'000;

constexpr FieldPath kMetadata("metadata");
constexpr FieldPath kStatus("status");

/// A taint as upstream's error shows it: the internal type has no JSON names.
Json internal_taint(const Json& taint) {
  return Json::object({{"Key", taint.get("key").text()},
                       {"Value", taint.get("value").text()},
                       {"Effect", taint.get("effect").text()},
                       {"TimeAdded", taint.get("timeAdded")}});
}

// The field is called metadata.taints, as upstream has it.
void check_taints(const Json& taints, FieldErrors& errors) {
  const FieldPath path = kMetadata.child("taints");
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < taints.items().size(); ++i) {
    const FieldPath at = path.index(i);
    const Json& taint = taints.items()[i];
    const std::string& key = taint.get("key").text();
    check_fields("core.v1.Taint", taint, at, errors);
    if (!seen.emplace(key, taint.get("effect").text()).second) {
      FieldError error = field_duplicate(at.text(), internal_taint(taint));
      error.message += ": taints must be unique by key and effect pair";
      errors.push_back(std::move(error));
    }
  }
}

void check_node_addresses(const Json& node, FieldErrors& errors) {
  const FieldPath path = kStatus.child("addresses");
  const Json::Items& addresses = value_at(node, {"status", "addresses"}).items();
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string& type = addresses[i].get("type").text();
    const std::string& address = addresses[i].get("address").text();
    if (seen.emplace(type, address).second) continue;
    errors.push_back(field_duplicate(path.index(i).text(),
                                     Json::object({{"Type", type}, {"Address", address}})));
  }
}

/// k8s: ValidateNodeResources.
void check_node_resources(const Json& node, FieldErrors& errors) {
  for (const std::string_view field : {"capacity", "allocatable"}) {
    const FieldPath list = kStatus.child(field);
    for (const Json::Member& each : value_at(node, {"status", field}).members()) {
      check_amount(each.key, each.value, list.child(each.key), errors);
    }
  }
}

/// Valid ranges, and two at most: one for each IP family.
void check_pod_ranges(const Json& spec, FieldErrors& errors) {
  check_fields("core.v1.NodeSpec", spec, kSpec, errors);
  const Json::Items& ranges = spec.get("podCIDRs").items();
  if (ranges.size() < 2) return;
  const auto v6 = std::ranges::count_if(
      ranges, [](const Json& each) { return each.text().find(':') != std::string::npos; });
  if (ranges.size() == 2 && v6 == 1) return;
  errors.push_back(field_invalid(kSpec.text("podCIDRs"), spec.get("podCIDRs"),
                                 "may specify no more than one CIDR for each IP family"));
}

class NodeRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    const std::string range = spec.get("podCIDR").text();
    const Json::Items& ranges = spec.get("podCIDRs").items();
    if (!range.empty() && (ranges.empty() || ranges.front().text() != range)) {
      spec.set("podCIDRs", Json::array({range}));
    } else if (range.empty() && !ranges.empty()) {
      spec.set("podCIDR", ranges.front());
    }
    Json* status = object.find("status");
    if (status == nullptr || status->get("capacity").empty()) return;
    if (!is_set(*status, "allocatable")) status->set("allocatable", status->get("capacity"));
  }
  /// The kubelet brings the status with it. Dynamic configuration is gone.
  void prepare_create(Json& object) const override {
    object["spec"].erase("configSource");
    if (Json* status = object.find("status")) status->erase("config");
  }
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    if (!is_set(old.get("spec"), "configSource")) object["spec"].erase("configSource");
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    if (object.text_at({"spec", "externalID"}).empty()) return {};
    return {"spec.externalID: this field is deprecated, and is unused by Kubernetes"};
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    const bool unschedulable = value_at(object, {"spec", "unschedulable"}).boolean();
    return {{"spec.unschedulable", unschedulable ? "true" : "false"}};
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return field == "spec.unschedulable";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_taints(value_at(object, {"spec", "taints"}), errors);
    check_node_resources(object, errors);
    check_pod_ranges(object.get("spec"), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_node_resources(object, errors);
    check_node_addresses(object, errors);
    const Json& spec = object.get("spec");
    const Json& old_spec = old.get("spec");
    check_pod_ranges(spec, errors);
    if (!old_spec.get("podCIDRs").items().empty() &&
        spec.get("podCIDRs") != old_spec.get("podCIDRs")) {
      errors.push_back(field_forbidden(
          kSpec.text("podCIDRs"), "node updates may not change podCIDR except from \"\" to valid"));
    }
    if (!old_spec.get("providerID").text().empty() &&
        spec.get("providerID") != old_spec.get("providerID")) {
      errors.push_back(
          field_forbidden(kSpec.text("providerID"),
                          "node updates may not change providerID except from \"\" to valid"));
    }
    check_taints(spec.get("taints"), errors);
    if (spec.get("externalID").text() != old_spec.get("externalID").text()) {
      errors.push_back(field_forbidden(kSpec.text("externalID"), "may not be updated"));
    }
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    check_node_resources(object, errors);
    check_node_addresses(object, errors);
  }
};

class NamespaceRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    const std::string name = name_of(object);
    if (name.empty()) return;  // Until generateName has made one.
    Json& metadata = object_member(object, "metadata");
    object_member(metadata, "labels").set("kubernetes.io/metadata.name", name);
  }

  void prepare_create(Json& object) const override {
    set_defaults(object);
    object.set("status", Json::object({{"phase", "Active"}}));
    Json& finalizers = object_member(object, "spec")["finalizers"];
    const Json::Items& items = finalizers.items();
    const bool ours = std::any_of(items.begin(), items.end(),
                                  [](const Json& each) { return each.text() == "kubernetes"; });
    if (!ours) finalizers.push_back("kubernetes");
  }

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    // Only /finalize changes them.
    object.set("spec", old.contains("spec") ? old.get("spec") : Json::object());
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    return {{"status.phase", object.text_at({"status", "phase"})}};
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return field == "status.phase";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const FieldPath path = kSpec.child("finalizers");
    FieldErrors found;
    for (const Json& each : value_at(object, {"spec", "finalizers"}).items()) {
      add_invalid(check_qualified_name(each.text()), each.text(), path, found);
      check_finalizer_names(Json::array({each}), path, found);
    }
    // Upstream's path has no index here.
    for (FieldError& each : found) {
      each.field = path.text();
      errors.push_back(std::move(each));
    }
  }
  /// Updates leave the spec as it is.
  void check_update(const Json&, const Json&, FieldErrors&) const override {}
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    const Json& phase = value_at(object, {"status", "phase"});
    const bool going = !object.text_at({"metadata", "deletionTimestamp"}).empty();
    if (phase.text() == (going ? "Terminating" : "Active")) return;
    // The field's case is upstream's.
    errors.push_back(
        field_invalid("status.Phase", phase.text(),
                      going ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                            : "may only be 'Active' if `deletionTimestamp` is empty"));
  }
};

/// The fields of coordinated leader election, whose feature gate is off.
constexpr std::string_view kElectionFields[] = {"strategy", "preferredHolder"};

class LeaseRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void prepare_create(Json& object) const override {
    PlainRules::prepare_create(object);
    drop_election(object, Json());
  }
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    drop_election(object, old);
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_fields("coordination.v1.LeaseSpec", object.get("spec"), kSpec, errors);
  }
  [[nodiscard]] bool checks_finalizer_names() const override { return false; }

 private:
  static void drop_election(Json& object, const Json& old) {
    Json* const spec = object.find("spec");
    if (spec == nullptr) return;
    for (const std::string_view field : kElectionFields) {
      if (!is_set(old.get("spec"), field)) spec->erase(field);
    }
  }
};

/// Why a class with the reserved prefix is none of the system's; "" when it is one.
std::string system_class_flaw(const Json& object) {
  const std::string& name = name_of(object);
  const std::int64_t value = number_at(object, {"value"});
  std::int64_t expected = 0;
  if (name == "system-cluster-critical") {
    expected = 2'000'000'000;
  } else if (name == "system-node-critical") {
    expected = 2'000'001'000;
  } else {
    return name + " is not a known system priority class";
  }
  if (value != expected) {
    return "value of " + name + " PriorityClass must be " + std::to_string(expected);
  }
  if (object.get("globalDefault").boolean()) {
    return "globalDefault of " + name + " PriorityClass must be false";
  }
  return "";
}

class PriorityClassRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    set_default(object, "preemptionPolicy", "PreemptLowerPriority");
  }
  void prepare_create(Json& object) const override { object["metadata"].set("generation", 1); }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& value = object.get("value");
    if (name_of(object).starts_with("system-")) {
      const std::string flaw = system_class_flaw(object);
      if (!flaw.empty()) {
        errors.push_back(field_forbidden(kMetadata.text("name"),
                                         "priority class names with 'system-' prefix are reserved "
                                         "for system use only. error: " +
                                             flaw));
      }
    } else if (value.integer_or(0) > kUserPriorityMax) {
      errors.push_back(field_forbidden(
          "value", "maximum allowed value of a user defined priority is 1000000000"));
    }
    check_fields(kPriorityClass, object, FieldPath(), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    if (object.get("value") != old.get("value")) {
      errors.push_back(field_forbidden("value", "may not be changed in an update."));
    }
    check_immutable_fields(kPriorityClass, object, old, FieldPath(), errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> node_rules(const KindFacts& facts) {
  return std::make_shared<NodeRules>(facts);
}

std::shared_ptr<const KindRules> namespace_rules(const KindFacts& facts) {
  return std::make_shared<NamespaceRules>(facts);
}

std::shared_ptr<const KindRules> lease_rules(const KindFacts& facts) {
  return std::make_shared<LeaseRules>(facts);
}

std::shared_ptr<const KindRules> priority_class_rules(const KindFacts& facts) {
  return std::make_shared<PriorityClassRules>(facts);
}

}  // namespace davit::sandbox
