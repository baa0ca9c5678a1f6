/// Events last an hour after their last write, as a real server's do by a lease of etcd.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sandbox/controllers/controller.hpp"

namespace davit::sandbox {

inline constexpr Duration kEventLifetime = std::chrono::hours(1);

class EventExpiry final : public Controller {
 public:
  explicit EventExpiry(const ControllerParts& parts)
      : parts_(parts), writer_(parts_.server, parts_.clock, "event-expiry") {}

  void on_relist(const Collection& collection) override;
  void observe(const Collection& collection, const Change& change) override;
  [[nodiscard]] Time act(Time now) override;

 private:
  struct Lease {
    Time ends;
    std::string ns;
    std::string name;
    Revision revision;  ///< Void when the event has another one by then.
  };

  const ControllerParts parts_;
  ApiWriter writer_;
  std::vector<Lease> fresh_;  // Observed since act(), which knows the time.
  std::deque<Lease> leases_;  // The earliest first.
};

}  // namespace davit::sandbox
