/// ServiceAddresses: the addresses and node ports of all Services. In memory, rebuilt from the
/// store at start, as there is one server alone.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"
#include "sandbox/admission/admission.hpp"
#include "sandbox/admission/number_pool.hpp"

namespace davit::sandbox {

/// A range of IPv4 addresses.
struct AddressRange {
  std::uint32_t base = 0;
  std::uint32_t size = 0;  ///< Network and broadcast addresses included.

  /// kInvalid if it is not an IPv4 range, or is too small or too large for Services.
  [[nodiscard]] static Result<AddressRange> parse(std::string_view cidr);
};

/// Thread-safe.
class ServiceAddresses {
 public:
  struct Ports {
    int min = 0;
    int max = 0;
  };
  /// `random` must outlive it.
  ServiceAddresses(const AddressRange& range, const Ports& ports, Random& random);

  /// Marks what a stored Service holds as taken. Addresses and ports outside the ranges are not
  /// tracked.
  void adopt(const Json& service) EXCLUDES(mutex_);
  /// Gives back what a Service had.
  void release(const Json& service) EXCLUDES(mutex_);

  /// Gives `service` the addresses and ports that its type needs and it lacks, and checks those
  /// that it requests. `old` is null for a new Service.
  [[nodiscard]] Reserved reserve(const Resource& resource, Json& service, const Json* old)
      EXCLUDES(mutex_);

 private:
  /// Numbers in the two pools.
  struct Holding {
    std::set<std::size_t> addresses;
    std::set<std::size_t> ports;
  };
  class Hold;

  [[nodiscard]] Holding held_by(const Json& service) const;
  [[nodiscard]] std::optional<std::size_t> address_number(std::string_view ip) const;
  [[nodiscard]] std::optional<std::size_t> port_number(std::int64_t port) const;
  [[nodiscard]] std::string address_text(std::size_t number) const;

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

  const AddressRange range_;
  const Ports limits_;
  Random& random_;

  Mutex mutex_;
  NumberPool addresses_ GUARDED_BY(mutex_);
  NumberPool ports_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
