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
  ServiceAddresses(const AddressRange& range, const Ports& ports, const ObjectLookup& objects,
                   Random& random);

  /// Marks what a stored Service holds as taken. Ports outside the range are not tracked.
  void adopt(const Json& service) EXCLUDES(mutex_);
  /// Releases the addresses of a Service.
  void release(const Json& service) EXCLUDES(mutex_);

  /// Gives `service` the addresses and ports that its type needs and it lacks, and checks those
  /// that it requests. `old` is null for a new Service.
  [[nodiscard]] Reserved reserve(const Resource& resource, Json& service, const Json* old)
      EXCLUDES(mutex_);

 private:
  struct Holding {
    std::set<std::uint32_t> addresses;
    std::set<std::size_t> ports;  ///< Numbers in the pool.
  };
  class Hold;

  [[nodiscard]] Holding held_by(const Json& service) const;
  [[nodiscard]] std::optional<std::size_t> port_number(std::int64_t port) const;

  /// Each takes from the pools and adds to `taken`.
  [[nodiscard]] ApiFailure take_address(const Resource& resource, Json& service,
                                        const Holding& held, Holding& taken) REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_ports(const Resource& resource, Json& service, const Holding& held,
                                      Holding& taken) REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_port(const Resource& resource, const Json& service,
                                     std::size_t index, const Holding& held, Holding& taken)
      REQUIRES(mutex_);
  [[nodiscard]] ApiFailure take_health_port(Json& service, const Holding& held, Holding& taken)
      REQUIRES(mutex_);
  [[nodiscard]] std::optional<std::int64_t> any_port(Holding& taken) REQUIRES(mutex_);
  void give_back(const Holding& holding) EXCLUDES(mutex_);

  const Ports limits_;
  Random& random_;

  Mutex mutex_;
  ClusterAddresses addresses_ GUARDED_BY(mutex_);
  NumberPool ports_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
