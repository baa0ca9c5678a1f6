#include "sandbox/kinds/extension_rules.hpp"

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/extension_checks.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

// Defaults of k8s.io/kubernetes/pkg/apis/admissionregistration/v1, apiregistration/v1,
// flowcontrol/v1 and resource/v1.
constexpr std::int64_t kHttpsPort = 443;
constexpr std::int64_t kWebhookTimeoutSeconds = 10;

/// The rules of one kind; `set_defaults` is never null.
struct ExtensionRule {
  void (*set_defaults)(Json& object);
  /// `old` is null for a new object. No check: null.
  void (*check)(const Json& object, const Json* old, FieldErrors& errors) = nullptr;
  void (*check_status)(const Json& object, FieldErrors& errors) = nullptr;
  void (*check_status_change)(const Json& object, const Json& old, FieldErrors& errors) = nullptr;
  /// Changes the object of a status update before its validation.
  void (*prepare_status)(Json& object, const Json& old) = nullptr;
  /// Changes a new object before its validation.
  void (*prepare_new)(Json& object) = nullptr;
  /// The same for the object of an update.
  void (*prepare_change)(Json& object) = nullptr;
  std::vector<std::string> (*warnings)(const Json& object) = nullptr;
  /// See PlainRules::checks_finalizer_names().
  bool finalizer_names = false;
  /// Whether an update checks the metadata as a create does, beside its own rules.
  bool whole_metadata = false;
};

class ExtensionRules final : public PlainRules {
 public:
  ExtensionRules(const KindFacts& facts, const ExtensionRule& rule)
      : PlainRules(facts), rule_(rule) {}

  void set_defaults(Json& object) const override { rule_.set_defaults(object); }

  void prepare_create(Json& object) const override {
    PlainRules::prepare_create(object);
    if (rule_.prepare_new != nullptr) rule_.prepare_new(object);
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    return rule_.warnings == nullptr ? std::vector<std::string>() : rule_.warnings(object);
  }

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    if (rule_.prepare_change != nullptr) rule_.prepare_change(object);
    if (target == UpdateTarget::kStatus && rule_.prepare_status != nullptr) {
      rule_.prepare_status(object, old);
    }
  }

  /// Policies have a generation that follows `spec`, webhook configurations one for `webhooks`.
  [[nodiscard]] bool raises_generation(const Json& object, const Json& old) const override {
    if (!facts().has_generation) return false;
    return object.get("spec") != old.get("spec") || object.get("webhooks") != old.get("webhooks");
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    if (rule_.check != nullptr) rule_.check(object, nullptr, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    if (rule_.whole_metadata) {
      const FieldPath path("metadata");
      const Json& metadata = object.get("metadata");
      check_metadata(metadata, facts().names,
                     facts().namespaced ? Scope::kNamespaced : Scope::kCluster, path, errors);
      check_finalizer_names(metadata.get("finalizers"), path.child("finalizers"), errors);
    }
    if (rule_.check != nullptr) rule_.check(object, &old, errors);
  }
  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    if (rule_.check_status != nullptr) rule_.check_status(object, errors);
    if (rule_.check_status_change != nullptr) rule_.check_status_change(object, old, errors);
  }
  [[nodiscard]] bool checks_finalizer_names() const override { return rule_.finalizer_names; }

 private:
  const ExtensionRule rule_;
};

void default_matching(Json& object) {
  set_default(object, "matchPolicy", "Equivalent");
  object_member(object, "namespaceSelector");
  object_member(object, "objectSelector");
}

void default_scopes(Json* rules) {
  if (rules == nullptr) return;
  for (Json& each : rules->make_array()) set_default(each, "scope", "*");
}

void default_match_resources(Json* match) {
  if (match == nullptr || !match->is_object()) return;
  default_matching(*match);
  default_scopes(match->find("resourceRules"));
  default_scopes(match->find("excludeResourceRules"));
}

void default_webhooks(Json& object) {
  Json* webhooks = object.find("webhooks");
  if (webhooks == nullptr) return;
  const bool mutates = object.get("kind").text() == "MutatingWebhookConfiguration";
  for (Json& each : webhooks->make_array()) {
    set_default(each, "failurePolicy", "Fail");
    default_matching(each);
    set_default(each, "timeoutSeconds", kWebhookTimeoutSeconds);
    if (mutates) set_default(each, "reinvocationPolicy", "Never");
    default_scopes(each.find("rules"));
    if (Json* service = each.at({"clientConfig", "service"}); service && service->is_object()) {
      set_default(*service, "port", kHttpsPort);
    }
  }
}

void default_policy(Json& object) {
  Json* spec = object.find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  const bool binding = object.get("kind").text().ends_with("Binding");
  if (!binding) set_default(*spec, "failurePolicy", "Fail");
  default_match_resources(spec->find(binding ? "matchResources" : "matchConstraints"));
}

void default_api_service(Json& object) {
  Json* service = object.at({"spec", "service"});
  if (service != nullptr && service->is_object()) set_default(*service, "port", kHttpsPort);
}

void default_flow_schema(Json& object) {
  constexpr std::int64_t kPrecedence = 1000;
  replace_empty(object_member(object, "spec"), "matchingPrecedence", kPrecedence);
}

void default_priority_level(Json& object) {
  constexpr std::int64_t kShares = 30;
  constexpr std::int64_t kQueues = 64;
  constexpr std::int64_t kHandSize = 8;
  constexpr std::int64_t kQueueLength = 50;
  Json* spec = object.find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  if (Json* exempt = spec->find("exempt"); exempt != nullptr && exempt->is_object()) {
    set_default(*exempt, "nominalConcurrencyShares", std::int64_t{0});
    set_default(*exempt, "lendablePercent", std::int64_t{0});
  }
  Json* limited = spec->find("limited");
  if (limited == nullptr || !limited->is_object()) return;
  set_default(*limited, "nominalConcurrencyShares", kShares);
  set_default(*limited, "lendablePercent", std::int64_t{0});
  Json* queuing = limited->at({"limitResponse", "queuing"});
  if (queuing == nullptr || !queuing->is_object()) return;
  replace_empty(*queuing, "queues", kQueues);
  replace_empty(*queuing, "handSize", kHandSize);
  replace_empty(*queuing, "queueLengthLimit", kQueueLength);
}

void default_request(Json& request) {
  replace_empty(request, "allocationMode", "ExactCount");
  if (request.get("allocationMode").text() == "ExactCount") {
    replace_empty(request, "count", std::int64_t{1});
  }
  if (Json* tolerations = request.find("tolerations")) {
    for (Json& each : tolerations->make_array()) replace_empty(each, "operator", "Equal");
  }
}

void default_requests(Json* requests) {
  if (requests == nullptr || !requests->is_array()) return;
  for (Json& each : requests->make_array()) {
    if (Json* exactly = each.find("exactly"); exactly != nullptr && exactly->is_object()) {
      default_request(*exactly);
    }
    if (Json* available = each.find("firstAvailable")) {
      for (Json& one : available->make_array()) default_request(one);
    }
  }
}

void default_claim(Json& object) { default_requests(object.at({"spec", "devices", "requests"})); }

void default_claim_template(Json& object) {
  default_requests(object.at({"spec", "spec", "devices", "requests"}));
}

void no_defaults(Json&) {}

}  // namespace

std::shared_ptr<const KindRules> webhook_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(
      facts, ExtensionRule{.set_defaults = default_webhooks, .check = check_webhooks});
}

std::shared_ptr<const KindRules> admission_policy_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(
      facts, ExtensionRule{.set_defaults = default_policy,
                           .check = check_admission_policy,
                           .check_status = check_admission_policy_status});
}

std::shared_ptr<const KindRules> api_service_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(facts,
                                          ExtensionRule{.set_defaults = default_api_service,
                                                        .check = check_api_service,
                                                        .check_status = check_api_service_status});
}

std::shared_ptr<const KindRules> flow_schema_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(facts,
                                          ExtensionRule{.set_defaults = default_flow_schema,
                                                        .check = check_flow_schema,
                                                        .check_status = check_flow_control_status,
                                                        .finalizer_names = true});
}

std::shared_ptr<const KindRules> priority_level_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(facts,
                                          ExtensionRule{.set_defaults = default_priority_level,
                                                        .check = check_priority_level,
                                                        .check_status = check_flow_control_status,
                                                        .finalizer_names = true});
}

std::shared_ptr<const KindRules> resource_claim_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(
      facts, ExtensionRule{.set_defaults = default_claim,
                           .check = check_resource_claim,
                           .check_status_change = check_resource_claim_status,
                           .prepare_status = prepare_claim_status,
                           .finalizer_names = true,
                           .whole_metadata = true});
}

std::shared_ptr<const KindRules> resource_claim_template_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(facts,
                                          ExtensionRule{.set_defaults = default_claim_template,
                                                        .check = check_resource_claim_template,
                                                        .finalizer_names = true});
}

std::shared_ptr<const KindRules> device_class_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(facts, ExtensionRule{.set_defaults = no_defaults,
                                                               .check = check_device_class,
                                                               .finalizer_names = true,
                                                               .whole_metadata = true});
}

std::shared_ptr<const KindRules> resource_slice_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(facts,
                                          ExtensionRule{.set_defaults = no_defaults,
                                                        .check = check_resource_slice,
                                                        .prepare_new = drop_disabled_attributes,
                                                        .prepare_change = drop_disabled_attributes,
                                                        .warnings = slice_warnings,
                                                        .finalizer_names = true});
}

std::shared_ptr<const KindRules> device_taint_rule_rules(const KindFacts& facts) {
  return std::make_shared<ExtensionRules>(facts,
                                          ExtensionRule{.set_defaults = no_defaults,
                                                        .check = check_device_taint_rule,
                                                        .check_status = check_taint_rule_status,
                                                        .prepare_status = keep_metadata,
                                                        .finalizer_names = true});
}

}  // namespace davit::sandbox
