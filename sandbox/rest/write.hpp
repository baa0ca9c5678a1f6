/// Creating and rewriting objects: what POST, PUT, PATCH and the subresources have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/options.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// The rules of a kind that a write is checked against.
enum class RuleSet : std::uint8_t {
  kAll,
  kDefaults,  ///< Defaulting and generation: for parts of a spec (ephemeralcontainers, resize).
  kNone,      ///< For subresources that change just what they are for (binding, finalize).
};

/// Whether metadata.managedFields is up to date already, as after an apply.
enum class Tracking : std::uint8_t { kPending, kDone };

/// The target of a write, and its options.
struct WriteTarget {
  const Resource& resource;
  std::string ns;
  std::string name;         ///< Empty for POST: the object's own.
  std::string subresource;  ///< Empty: the object itself.
  DryRun dry_run = DryRun::kNo;
  FieldManager manager;
  RuleSet rules = RuleSet::kAll;
  Tracking tracking = Tracking::kPending;
  WritePermit permit = nullptr;  ///< Asked before the kind's rules; null: nothing to ask.
  WriteStamp stamp = nullptr;    ///< Null: nothing to fill in.
  WriteJudge judge = nullptr;    ///< Null: every valid write is fine.
  WriteMutate mutate = nullptr;  ///< Null: nothing changes the object.
  /// Null: `judge` sees the object itself; else what the subresource shows of it.
  Json (*view)(const Json& object, const Resource& resource) = nullptr;
};

/// `call`'s target. The field manager is the option's, else the User-Agent's.
[[nodiscard]] WriteTarget target_of(const RestParts& parts, const Call& call,
                                    const WriteOptions& options);

struct Written {
  VersionPtr version;  ///< In the stored form.
  enum class Effect : std::uint8_t {
    kCreated,
    kUpdated,
    kUnchanged,
    kRemoved,  ///< The last finalizer went; `version` is how it looked then.
  } effect = Effect::kUpdated;
};

/// Whether the storage would refuse `object`; etcd's default.
[[nodiscard]] bool is_too_large(const Json& object);

/// Stores a decoded object, in the resource's form.
[[nodiscard]] ApiResult<Written> create_object(const RestParts& parts, const WriteTarget& target,
                                               Json object, std::vector<std::string>& warnings);

/// The object that is to replace `old`, which is null when there is none and the resource creates
/// on update. Called again when another writer was faster.
using Produce = std::function<ApiResult<Json>(const Json& old)>;

enum class Missing : std::uint8_t { kNotFound, kCreate };

/// Replaces the object by the result of `produce`. Writes nothing if nothing changes. `missing`
/// kCreate: if there is no object, `produce` makes a new one.
[[nodiscard]] ApiResult<Written> rewrite_object(const RestParts& parts, const WriteTarget& target,
                                                Missing missing, const Produce& produce,
                                                std::vector<std::string>& warnings);

/// Calls webhooks and policies for `object`, which `call` creates for the object `name` of
/// `resource` and which has another kind.
[[nodiscard]] ApiFailure admit_part(const Resource& resource, std::string_view name, DryRun dry_run,
                                    Json& object, const Call& call);

/// Writes a status as the server itself does, past the rules of the kind.
[[nodiscard]] ApiFailure rewrite_status(const RestParts& parts, const Resource& resource,
                                        const std::string& ns, const std::string& name,
                                        DryRun dry_run, const Produce& produce);

/// Removes `current`, whose final state is `last`, and notifies all watches. Nothing: another
/// writer was faster.
[[nodiscard]] std::optional<ApiResult<VersionPtr>> remove_version(const RestParts& parts,
                                                                  const Resource& resource,
                                                                  const Version& current,
                                                                  Json last);

/// The version that a store of `object` would make, for dry runs.
[[nodiscard]] ApiResult<VersionPtr> unstored(const RestParts& parts, Json object,
                                             const Resource& resource);

/// A refusal of the store as a response.
[[nodiscard]] ApiError store_error(const Status& status);

}  // namespace davit::sandbox
