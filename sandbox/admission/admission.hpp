/// Admission: the rules of a write that need more than the object itself. The chain is that of a
/// default kube-apiserver, as far as a sandbox needs it: NamespaceLifecycle, LimitRanger,
/// ServiceAccount, TaintNodesByCondition, Priority, DefaultTolerationSeconds,
/// PodTopologyLabels, StorageObjectInUseProtection, DefaultStorageClass,
/// PersistentVolumeClaimResize, RuntimeClass, ResourceQuota; and the allocation of the addresses
/// and node ports of Services, which upstream does in their storage.
///
/// The writer's order: decode, set_defaults, admit(), prepare_*, validate_*, reserve(), store,
/// commit(). Deleting: admit_delete() first, removed() once the object has left the store.
#pragma once

#include <cstdint>
#include <davit/kube/amount.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/random.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/admission/dry_run.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The cluster as admission sees it. Thread-safe.
class ObjectLookup {
 public:
  ObjectLookup() = default;
  ObjectLookup(const ObjectLookup&) = delete;
  ObjectLookup& operator=(const ObjectLookup&) = delete;
  virtual ~ObjectLookup() = default;

  /// Null when there is none.
  [[nodiscard]] virtual VersionPtr get(const Collection& collection, std::string_view ns,
                                       std::string_view name) const = 0;
  /// Empty `ns`: all of the collection.
  [[nodiscard]] virtual std::vector<VersionPtr> list(const Collection& collection,
                                                     std::string_view ns) const = 0;
};

/// A lookup in `store`, which must outlive it.
[[nodiscard]] std::unique_ptr<ObjectLookup> lookup_in(const Store& store);

enum class WriteVerb : std::uint8_t { kCreate, kUpdate };

/// The write to admit. Everything that it points to must outlive the call.
struct WriteRequest {
  const Resource& resource;
  WriteVerb verb = WriteVerb::kCreate;  ///< Creating by PUT is kCreate.
  std::string_view ns;
  /// The name in the URL. Empty for POST; then the object's own name counts.
  std::string_view name;
  std::string_view subresource;  ///< "status", "scale", …; empty for the object itself.
  const Json* old = nullptr;     ///< The stored object; null for kCreate.
  DryRun dry_run = DryRun::kNo;
};

/// The addresses, ports and quota that one write reserves. If it is destroyed without commit(), it
/// gives everything back, as after a dry run or a failed write. The Admission must outlive it.
class Reservation {
 public:
  Reservation() = default;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  virtual ~Reservation() = default;

  /// The object is in the store: keeps what was taken, releases what it no longer uses.
  virtual void commit() = 0;
};

/// The usage that a new object adds to ResourceQuotas of its namespace.
struct QuotaCharge {
  std::vector<std::string> quotas;  ///< Their names.
  Amounts usage;
};

/// The result of reserve(): a refusal, or a reservation, which may be null.
struct Reserved {
  ApiFailure refusal;
  std::unique_ptr<Reservation> reservation;
  /// For a new object.
  QuotaCharge charge{};
};

struct AdmissionOptions {
  /// In CIDR form: IPv4, IPv6, or both with a comma between. The first address of the first one
  /// belongs to default/kubernetes.
  std::string service_range = "10.0.0.0/24";
  int node_port_min = 30'000;
  int node_port_max = 32'767;
  /// Off as in envtest: the default account of a namespace comes from a controller that may not be
  /// there.
  enum class ServiceAccounts : std::uint8_t { kOff, kOn } service_accounts = ServiceAccounts::kOff;
};

/// Thread-safe; takes no lock while it looks things up.
class Admission {
 public:
  Admission() = default;
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;
  virtual ~Admission() = default;

  /// Takes over the addresses and ports of the Services that are stored. Before the first write.
  virtual void restore() = 0;

  /// Called after defaulting and before prepare_*: completes the object, or refuses it. Also for
  /// writes of subresources.
  [[nodiscard]] virtual ApiFailure admit(const WriteRequest& request, Json& object) const = 0;

  /// After validation, before the store: checks quota, and gives a Service the addresses and ports
  /// that it lacks (those that an update left out are put back by prepare_update).
  [[nodiscard]] virtual Reserved reserve(const WriteRequest& request, Json& object) = 0;

  /// Called before a DELETE has any effect, also for each object of a collection.
  [[nodiscard]] virtual ApiFailure admit_delete(const Resource& resource, std::string_view ns,
                                                std::string_view name) const = 0;

  /// `object` has left the store, by DELETE or because its last finalizer went.
  virtual void removed(const Resource& resource, const Json& object) = 0;
};

/// `objects` and `random` must outlive it. kInvalid when the options make no sense.
[[nodiscard]] Result<std::unique_ptr<Admission>> make_admission(AdmissionOptions options,
                                                                const ObjectLookup& objects,
                                                                Random& random);

}  // namespace davit::sandbox
