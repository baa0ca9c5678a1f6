/// Resources that share a collection show the same objects in different forms.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/patch/apply.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// `object` in the form of `to`: Events of v1 and events.k8s.io/v1, autoscalers of v1 and v2;
/// custom resources get another apiVersion, and lose the fields that the version lacks. Objects
/// that a webhook would have to convert stay as they are.
[[nodiscard]] Json convert(Json object, const Resource& to);
/// The same with webhooks. May block.
[[nodiscard]] ApiResult<Json> convert(const RestParts& parts, Json object, const Resource& to);

/// The labels of an object, sorted by key.
[[nodiscard]] Pairs labels_of(const Json& object);

/// Whether `version` is stored exactly as `resource` shows it, with kind and apiVersion first.
/// False for custom resources, whose defaults are also applied on reading.
[[nodiscard]] bool is_stored_as(const Version& version, const Resource& resource);
/// Whether make_draft() would keep the object in the version in which it is kept now: the storage
/// version of a definition changes.
[[nodiscard]] bool is_in_stored_form(const RestParts& parts, const Version& version,
                                     const Resource& resource);
/// The stored object in the form of `resource`, as far as that needs no webhook.
[[nodiscard]] Json load(const Version& version, const Resource& resource);
/// The webhooks of one request may take so long: kube-apiserver's --request-timeout.
inline constexpr std::chrono::seconds kRequestTime{60};
/// They take longer.
[[nodiscard]] ApiError conversion_timeout();
/// Whether the caller holds the memory for the forms, see reserve_forms().
enum class FormMemory : std::uint8_t { kOfTheCall, kHeld };
/// The same with webhooks: one request for a batch of objects. May block.
[[nodiscard]] ApiResult<Json> load(const RestParts& parts, const Version& version,
                                   const Resource& resource);
[[nodiscard]] ApiResult<std::vector<Json>> load(const RestParts& parts,
                                                std::span<const VersionPtr> versions,
                                                const Resource& resource,
                                                FormMemory memory = FormMemory::kOfTheCall);
/// The memory for the forms of all `versions`, for callers that load() them in parts and keep them;
/// null if no webhook converts them. 429 if other requests have it.
[[nodiscard]] ApiResult<std::shared_ptr<void>> reserve_forms(const RestParts& parts,
                                                             std::span<const VersionPtr> versions,
                                                             const Resource& resource);
/// The same as text; of `version` itself where the form is the stored one.
[[nodiscard]] std::string load_text(const Version& version, const Resource& resource);

/// `object`, in the form of `resource`, as the store takes it: in the stored form, with its labels
/// and with the fields that any of the sharing resources knows; those of custom resources are read
/// from the form that a request sees. As far as that needs no webhook.
[[nodiscard]] Draft make_draft(Json object, const Resource& resource, const ResourceSet& resources);
/// The same with webhooks. May block.
[[nodiscard]] ApiResult<Draft> make_draft(const RestParts& parts, Json object,
                                          const Resource& resource);
/// Shows objects of the kind of `resource` in other versions, for the owners of their fields. May
/// block. Null: there are no other versions. All arguments must outlive it.
[[nodiscard]] ConvertVersion version_converter(const RestParts& parts, const Resource& resource);
/// The last state of `current`, which is removed. It stays in the version in which it is stored.
[[nodiscard]] Draft removal_draft(const Version& current);

}  // namespace davit::sandbox
