/// Resources that share a collection show the same objects in forms of their own.
#pragma once

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// `object` in the form of `to`: Events of v1 and events.k8s.io/v1, autoscalers of v1 and v2; of
/// custom resources only the apiVersion changes.
[[nodiscard]] Json convert(Json object, const Resource& to);

/// Whether `version` is kept just as `resource` shows it, with kind and apiVersion in front. Never
/// so for custom resources: their defaults are applied on reading, too.
[[nodiscard]] bool is_stored_as(const Version& version, const Resource& resource);
/// The stored object in the form of `resource`.
[[nodiscard]] Json load(const Version& version, const Resource& resource);
/// The same as text; of `version` itself where the form is the stored one.
[[nodiscard]] std::string load_text(const Version& version, const Resource& resource);

/// `object`, in the form of `resource`, as the store takes it: in the stored form, with its labels
/// and with the fields that any of the sharing resources knows.
[[nodiscard]] Draft make_draft(Json object, const Resource& resource, const ResourceSet& resources);

}  // namespace davit::sandbox
