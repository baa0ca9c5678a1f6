/// Resources that share a collection show the same objects in different forms.
#pragma once

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

/// `object` in the form of `to`: Events of v1 and events.k8s.io/v1, autoscalers of v1 and v2; of
/// custom resources only the apiVersion changes. Objects that a webhook would have to convert stay
/// as they are.
[[nodiscard]] Json convert(Json object, const Resource& to);
/// The same with webhooks. May block.
[[nodiscard]] ApiResult<Json> convert(const RestParts& parts, Json object, const Resource& to);

/// Whether `version` is stored exactly as `resource` shows it, with kind and apiVersion first.
/// False for custom resources, whose defaults are also applied on reading.
[[nodiscard]] bool is_stored_as(const Version& version, const Resource& resource);
/// Whether make_draft() would keep the object in the version in which it is kept now: the storage
/// version of a definition changes.
[[nodiscard]] bool is_in_stored_form(const RestParts& parts, const Version& version,
                                     const Resource& resource);
/// The stored object in the form of `resource`, as far as that needs no webhook.
[[nodiscard]] Json load(const Version& version, const Resource& resource);
/// The same with webhooks: one request for a batch of objects. May block.
[[nodiscard]] ApiResult<Json> load(const RestParts& parts, const Version& version,
                                   const Resource& resource);
[[nodiscard]] ApiResult<std::vector<Json>> load(const RestParts& parts,
                                                std::span<const VersionPtr> versions,
                                                const Resource& resource);
/// The same as text; of `version` itself where the form is the stored one.
[[nodiscard]] std::string load_text(const Version& version, const Resource& resource);

/// `object`, in the form of `resource`, as the store takes it: in the stored form, with its labels
/// and with the fields that any of the sharing resources knows. As far as that needs no webhook.
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
