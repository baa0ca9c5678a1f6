/// Metadata that the server itself writes: names, times, versions, what survives an update.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/base/random.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// About the bytes of its text: escapes are not counted.
[[nodiscard]] std::size_t bytes_of(const Json& json);

/// Now as objects show it.
[[nodiscard]] std::string time_text(const Clock& clock);

/// `base` cut to 58 characters, and five random ones.
[[nodiscard]] std::string generate_name(std::string_view base, Random& random);

/// rest.FillObjectMetaSystemFields: a new identity, regardless of what the client sent.
void stamp_new(Json& object, const Resource& resource, Clock& clock, Random& random);

/// Fills metadata.namespace from the URL, or drops it where there is none; 400 when the body says
/// another.
[[nodiscard]] ApiFailure fill_namespace(Json& object, std::string_view ns);

/// Keeps what an update does not change: uid (if left out), creation and deletion times,
/// generation. track_update() keeps who owns which fields.
void keep_system_metadata(Json& object, const Json& old);

/// Whether metadata.managedFields holds a single empty entry, which requests that all field owners
/// be dropped. An empty list does not: clients that do not know the member send it.
[[nodiscard]] bool forgets_managers(const Json& object);

/// The Resource's rule for generation, and one more for an object that begins to be deleted.
void update_generation(Json& object, const Json& old, const Resource& resource);

[[nodiscard]] bool is_being_deleted(const Json& object);
[[nodiscard]] bool has_finalizers(const Json& object);
/// metadata.deletionGracePeriodSeconds.
[[nodiscard]] std::optional<std::int64_t> grace_seconds(const Json& object);

/// Marks `object` as being deleted since `since`, generation included where it has one and is not
/// marked yet.
void mark_deleted(Json& object, std::string_view since, std::optional<std::int64_t> grace);

}  // namespace davit::sandbox
