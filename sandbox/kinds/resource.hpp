/// The resources of the server: one Resource for each plural of a group version, built in or
/// custom.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// A subresource that the generic verbs serve; others ("log", "binding") have separate handlers.
struct Subresource {
  std::string name;  ///< "status", "scale", "binding"
  /// The kind of its requests if it is not the parent's: "autoscaling", "v1", "Scale".
  std::string group;
  std::string version;
  std::string kind;
  std::vector<std::string> verbs;
};

/// The target of an update, on which the rules depend.
enum class UpdateTarget : std::uint8_t {
  kObject,
  kStatus,
  kApproval,  ///< certificatesigningrequests/approval
};

/// A column of Table output.
struct Column {
  std::string name;
  std::string type = "string";  ///< "string", "integer", "boolean", "date"
  std::string format;           ///< "name" for the Name column.
  std::string description;
  int priority = 0;  ///< 1: only with -o wide.
};

/// The rules of one kind. Stateless and thread-safe. Rules that need the rest of the cluster
/// (addresses of Services, priority classes, namespaces) belong to admission.
class KindRules {
 public:
  KindRules() = default;
  KindRules(const KindRules&) = delete;
  KindRules& operator=(const KindRules&) = delete;
  virtual ~KindRules() = default;

  /// Sets missing fields like the API's defaulting. Also called on the results of patches.
  virtual void set_defaults(Json& object) const = 0;
  /// PrepareForCreate: sets and resets the fields that the system owns. The caller has already set
  /// metadata (uid, generated name, times, generation), because a Job's selector contains its uid.
  virtual void prepare_create(Json& object) const = 0;
  /// PrepareForUpdate: restores from `old` the fields that this target must not change.
  virtual void prepare_update(Json& object, const Json& old, UpdateTarget target) const = 0;
  /// All violations, including those of the metadata rules.
  [[nodiscard]] virtual FieldErrors validate_create(const Json& object) const = 0;
  [[nodiscard]] virtual FieldErrors validate_update(const Json& object, const Json& old,
                                                    UpdateTarget target) const = 0;
  /// Warnings for the client.
  [[nodiscard]] virtual std::vector<std::string> warnings(const Json& object) const;
  /// Whether this change raises metadata.generation.
  [[nodiscard]] virtual bool raises_generation(const Json& object, const Json& old) const = 0;

  /// The values for field selectors, except metadata.name and metadata.namespace.
  [[nodiscard]] virtual Pairs fields(const Json& object) const;
  /// Whether field selectors may use `field`.
  [[nodiscard]] virtual bool knows_field(std::string_view field) const;

  [[nodiscard]] virtual std::vector<Column> columns() const = 0;
  /// One cell for each column; `now` is for ages.
  [[nodiscard]] virtual Json::Items cells(const Json& object, WallTime now) const = 0;
};

/// The facts about one plural of one group version.
struct Resource {
  std::string group;  ///< Empty: core.
  std::string version;
  std::string name;  ///< "deployments"
  std::string singular;
  std::string kind;
  bool namespaced = true;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> verbs;  ///< Alphabetical.
  std::vector<Subresource> subresources;

  Collection collection;            ///< The collection of its objects.
  const Message* schema = nullptr;  ///< Null: stored unchanged, except metadata.
  std::shared_ptr<const KindRules> rules;

  bool custom = false;         ///< Served from a CustomResourceDefinition.
  Json published;              ///< Custom: the OpenAPI schema of its objects.
  std::string stored_version;  ///< Custom: the version in which its objects are stored.
  bool has_status = false;     ///< Status is written only through /status.
  bool has_generation = false;
  bool keeps_status_on_create = false;  ///< Node.
  bool create_on_update = false;        ///< PUT of a missing object creates it.
  bool unconditional_update = true;     ///< PUT without a resourceVersion is accepted.
  bool graceful_deletion = false;       ///< Pod.
  bool orphans_by_default = false;      ///< Job of batch/v1, ReplicationController.
  bool delete_returns_object = false;   ///< Instead of a Status.

  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + '/' + version;
  }
  /// The name in messages: "deployments.apps".
  [[nodiscard]] std::string qualified_name() const {
    return group.empty() ? name : name + '.' + group;
  }
  [[nodiscard]] const Subresource* subresource(std::string_view wanted) const;
};
using ResourcePtr = std::shared_ptr<const Resource>;

/// The built-in resources, in the order of discovery.
[[nodiscard]] std::vector<ResourcePtr> builtin_resources();

}  // namespace davit::sandbox
