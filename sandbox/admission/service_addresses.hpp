/// ServiceAddresses: the addresses and node ports of all Services. In memory, rebuilt from the
/// store at start, as there is one server alone; the objects that show who has which address are
/// kept by rest/address_objects.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"
#include "sandbox/admission/admission.hpp"
#include "sandbox/admission/cluster_addresses.hpp"
#include "sandbox/admission/number_pool.hpp"

namespace davit::sandbox {

/// Thread-safe.
class ServiceAddresses {
 public:
  struct Ports {
    int min = 0;
    int max = 0;
  };
  /// `objects` and `random` must outlive it.
  ServiceAddresses(std::vector<ip::Prefix> ranges, const Ports& ports, const ObjectLookup& objects,
                   Random& random);

  /// Marks what a stored Service holds as taken. Ports outside the range are not tracked.
  void adopt(const Json& service) EXCLUDES(mutex_);
  /// Releases the addresses of a Service.
  void release(const Json& service) EXCLUDES(mutex_);

  /// Gives `service` the addresses and ports that its type needs and it lacks, and checks those
  /// that it requests. `old` is null for a new Service. A dry run takes nothing and, as upstream's,
  /// shows the address of the network, and ports above the range.
  [[nodiscard]] Reserved reserve(const Resource& resource, Json& service, const Json* old,
                                 DryRun dry_run) EXCLUDES(mutex_);

 private:
  struct Holding {
    std::set<std::string> addresses;  ///< In their canonical form.
    std::set<std::size_t> ports;      ///< Numbers in the pool.
  };
  class Hold;

  [[nodiscard]] Holding held_by(const Json& service) const;
  [[nodiscard]] std::optional<std::size_t> port_number(std::int64_t port) const;

  /// One write's part: what it holds already, and what it takes from the pools.
  struct Taking {
    const Resource& resource;
    Json& service;
    DryRun dry_run = DryRun::kNo;
    Holding held;
    Holding taken;
    std::set<std::int64_t> shown;  ///< The ports of a dry run.
  };

  [[nodiscard]] ApiFailure take(Taking& taking) REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_addresses(Taking& taking) REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_address(Taking& taking, const std::string& wanted) REQUIRES(mutex_);
  [[nodiscard]] std::optional<ip::Address> any_address(Taking& taking, ip::Family family)
      REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_ports(Taking& taking) REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_port(Taking& taking, std::size_t index) REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_health_port(Taking& taking) REQUIRES(mutex_);
  [[nodiscard]] std::optional<std::int64_t> any_port(Taking& taking) REQUIRES(mutex_);
  void give_back(const Holding& holding) EXCLUDES(mutex_);

  const Ports limits_;
  Random& random_;

  Mutex mutex_;
  ClusterAddresses addresses_ GUARDED_BY(mutex_);
  NumberPool ports_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
