#include "host/base/clock.hpp"

namespace davit::host {
namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override {
    return Time(std::chrono::steady_clock::now().time_since_epoch());
  }

  [[nodiscard]] WallTime wall_now() const override { return std::chrono::system_clock::now(); }

  void wait_until(CondVar& cond, Mutex& mutex, Time deadline) REQUIRES(mutex) override {
    cond.wait_for(mutex, deadline - now());
  }
};

}  // namespace

std::unique_ptr<Clock> make_system_clock() { return std::make_unique<SystemClock>(); }

}  // namespace davit::host
