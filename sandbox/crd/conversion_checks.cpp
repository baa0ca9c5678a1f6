#include "sandbox/crd/conversion_checks.hpp"

#include <davit/base64.hpp>

#include "lib/net/signing_request.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/admission_checks.hpp"
#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

namespace {

/// The older form of the API has these members beside the strategy, and errors name them there.
constexpr std::string_view kConfig = "webhookClientConfig";
constexpr std::string_view kVersions = "conversionReviewVersions";

const Json& hook_config(const Json& conversion) {
  return conversion.get("webhook").get("clientConfig");
}

const Json& hook_versions(const Json& conversion) {
  return conversion.get("webhook").get(kVersions);
}

/// Why clients cannot use the authorities of a webhook; empty: they can, or there are none.
std::string bundle_fault(const Json& config) {
  const std::string& bundle = config.get("caBundle").text();
  if (bundle.empty()) return "";
  const Status checked = check_authorities(decode_base64(bundle).value_or(""));
  return checked.ok() ? "" : checked.message();
}

/// A definition that is not established yet shows the fault in its condition, and one that has it
/// may keep it.
bool bundle_may_be_wrong(const Json* old) {
  return old == nullptr || !is_established(*old) ||
         !bundle_fault(hook_config(old->get("spec").get("conversion"))).empty();
}

void check_webhook_conversion(const Json& conversion, const Json* old, const FieldPath& path,
                              FieldErrors& errors) {
  if (!hook_config(conversion).is_object()) {
    errors.push_back(
        field_required(path.text(kConfig), "required when strategy is set to Webhook"));
  } else {
    const FieldPath place = path.child(kConfig);
    check_client_config(hook_config(conversion), place, errors);
    const std::string why = bundle_may_be_wrong(old) ? "" : bundle_fault(hook_config(conversion));
    if (!why.empty()) {
      errors.push_back(
          field_invalid(place.text("caBundle"), hook_config(conversion).get("caBundle"), why));
    }
  }
  const Json& versions = hook_versions(conversion);
  if (versions.items().empty()) {
    errors.push_back(field_required(path.text(kVersions)));
    return;
  }
  const Json* before =
      old == nullptr ? nullptr : &hook_versions(old->get("spec").get("conversion"));
  const bool may_be_unknown =
      before != nullptr && !before->items().empty() && !has_known_version(*before);
  check_version_list(versions, may_be_unknown, path.child(kVersions), errors);
}

}  // namespace

bool has_unusable_bundle(const Json& definition) {
  return !bundle_fault(hook_config(definition.get("spec").get("conversion"))).empty();
}

void check_conversion(const Json& definition, const Json* old, FieldErrors& errors) {
  const Json& spec = definition.get("spec");
  const Json& conversion = spec.get("conversion");
  if (!conversion.is_object()) return;
  const FieldPath path("spec.conversion");
  const Json& strategy = conversion.get("strategy");
  if (strategy.text() != "None" && spec.get("preserveUnknownFields").boolean()) {
    errors.push_back(field_invalid(path.text("strategy"), strategy,
                                   "must be None if spec.preserveUnknownFields is true"));
  }
  if (strategy.is_string() && strategy.text().empty()) {
    errors.push_back(field_required(path.text("strategy")));
  } else {
    check_choice(conversion, "strategy", {"None", "Webhook"}, path, errors);
  }
  if (strategy.text() == "Webhook") return check_webhook_conversion(conversion, old, path, errors);
  constexpr std::string_view kUnused = "should not be set when strategy is not set to Webhook";
  if (hook_config(conversion).is_object()) {
    errors.push_back(field_forbidden(path.text(kConfig), std::string(kUnused)));
  }
  if (!hook_versions(conversion).items().empty()) {
    errors.push_back(field_forbidden(path.text(kVersions), std::string(kUnused)));
  }
}

}  // namespace davit::sandbox
