/// Custom resources: what a CustomResourceDefinition (apiextensions.k8s.io/v1) makes the server
/// serve. All functions are pure; the registry and the request path live elsewhere.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/kind_rules.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The rules of CustomResourceDefinition objects themselves: defaults, validation with structural
/// schemas, generation.
[[nodiscard]] std::shared_ptr<const KindRules> definition_rules(const KindFacts& facts);

/// Validates a defaulted definition, without its metadata.
[[nodiscard]] FieldErrors validate_definition(const Json& definition);
/// Like validate_definition(), plus the fields that may not change once the definition is
/// established.
[[nodiscard]] FieldErrors validate_definition_update(const Json& definition, const Json& old);

/// Brings status.acceptedNames, status.storedVersions and the conditions NamesAccepted and
/// Established up to date. `others`: the definitions of the same group, this one may be among
/// them. `now`: RFC 3339, for conditions that change. Idempotent.
void update_definition_status(Json& definition, std::span<const Json> others, std::string_view now);
/// Only then are its objects served.
[[nodiscard]] bool is_established(const Json& definition);

/// The webhook that converts objects between the versions of a definition.
struct ConversionHook {
  std::string definition;  ///< "widgets.example.com"
  Json client_config;      ///< A WebhookClientConfig.
  std::vector<std::string> review_versions;
};
/// Whether the server calls such webhooks. Where it does not, conversion changes the apiVersion
/// only, as the strategy None does.
enum class ConversionHooks : std::uint8_t { kNotCalled, kCalled };

/// One Resource for each served version of a valid definition, in the order of its versions.
/// `schema` of each lives as long as its `rules`. kInvalid when a schema is not structural.
[[nodiscard]] Result<std::vector<ResourcePtr>> resources_of(
    const Json& definition, ConversionHooks hooks = ConversionHooks::kNotCalled);

/// The webhook that converts objects of `resource`; null: there is none. Lives as long as
/// `resource`.
[[nodiscard]] const ConversionHook* conversion_hook(const Resource& resource);

/// The storage version of the definition of `resource` if that is not served, else null. Lives as
/// long as `resource`.
[[nodiscard]] const Resource* unserved_storage(const Resource& resource);

/// Whether the definition of `resource` was being deleted when it was made.
[[nodiscard]] bool is_terminating(const Resource& resource);

/// The counterpart of conform() for custom kinds: drops the members that the schema does not know,
/// names them in `findings`, and brings metadata into its form. Defaults are left to
/// set_defaults(), which also runs on reads.
[[nodiscard]] Status conform_custom(const Resource& resource, Json& object,
                                    FieldFindings& findings);

/// Warnings about the finalizers of a custom resource that `old`, null for a new one, lacks. k8s:
/// generateWarningsFromObj of apiextensions-apiserver/pkg/registry/customresource.
[[nodiscard]] std::vector<std::string> finalizer_warnings(const Json& object, const Json& old);

/// The paths in a custom resource that /scale shows, as member names from the root.
struct ScalePaths {
  std::vector<std::string> spec_replicas;
  std::vector<std::string> status_replicas;
  std::vector<std::string> label_selector;  ///< Selects from a string; may be empty: none.
};
/// Null unless `resource` is custom and has /scale.
[[nodiscard]] const ScalePaths* scale_paths(const Resource& resource);

}  // namespace davit::sandbox
