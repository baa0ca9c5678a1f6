/// Server-side apply (KEP-555) and the field ownership that every write keeps up:
/// sigs.k8s.io/structured-merge-diff with the field manager of
/// k8s.io/apimachinery/pkg/util/managedfields.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/patch/patch.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit {

/// An object in another version of its kind.
struct VersionedForm {
  Json object;
  const Message* schema = nullptr;
  std::shared_ptr<const void> keeps_schema = nullptr;
};
/// Converts an object to the version `api_version` of its kind. kNotFound: there is none.
using ConvertVersion =
    std::function<Result<VersionedForm>(const Json& object, const std::string& api_version)>;

/// The manager of a write, its target, and its time.
struct FieldManager {
  std::string name;         ///< `fieldManager`, else the User-Agent up to '/', else "unknown".
  std::string api_version;  ///< "apps/v1"
  std::string subresource;  ///< "status", "scale"; empty for the object itself.
  std::string time;         ///< RFC 3339.
  /// Top-level members that this endpoint resets, so that they cannot be owned through it: "status"
  /// on the object itself, "spec" on /status.
  std::vector<std::string> reset_fields = {};
  /// Fields belong to the version in which their manager wrote them. Null: they have the same names
  /// in all versions.
  ConvertVersion convert = nullptr;
};

enum class Force : bool { kNo, kYes };

/// One field that another manager holds with another value.
struct ApplyConflict {
  std::string manager;  ///< The form in the message: `"m3" using v1`.
  std::string field;    ///< `.spec.template.spec.containers[name="c"].image`
};

struct ApplyOutcome {
  PatchOutcome error;                    ///< Any error except a conflict.
  std::vector<ApplyConflict> conflicts;  ///< Not empty: 409, nothing was changed.
};

/// The message of a 409: "Apply failed with 1 conflict: conflict with \"m1\": .data.a".
[[nodiscard]] std::string conflict_message(const std::vector<ApplyConflict>& conflicts);

/// Merges the intent `applied` into `live` (null: the object is new) and updates
/// live.metadata.managedFields. `schema` may be null: then only metadata is known, lists are atomic
/// and maps granular.
[[nodiscard]] ApplyOutcome server_side_apply(Json& live, const Json& applied, const Message* schema,
                                             const FieldManager& manager, Force force);

/// Merges `applied` into `live` as server-side apply does, but without owners, and refuses changes
/// of atomic lists, maps and structs: those would lose what they do not name. Returns why it cannot
/// be done, with `live` as it was; empty: it is done.
/// k8s: ApplyStructuredMergeDiff of pkg/admission/plugin/policy/mutating/patch.
[[nodiscard]] std::string merge_configuration(Json& live, const Json& applied,
                                              const Message* schema);

/// After any other write: `object` is what will be stored, `old` what was there (null: a create).
/// Gives `manager` an Update entry for each path whose value changed and takes the changed and
/// vanished paths from all others. The time of an entry changes only with its set.
void track_update(Json& object, const Json& old, const Message* schema,
                  const FieldManager& manager);

/// Whether both are equal except for the times in metadata.managedFields, so that nothing is
/// written.
[[nodiscard]] bool same_but_for_times(const Json& a, const Json& b);

}  // namespace davit
