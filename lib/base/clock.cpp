#include "lib/base/clock.hpp"

#include <ctime>

#include "lib/base/assert.hpp"

namespace davit {
namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override {
    return Time(std::chrono::steady_clock::now().time_since_epoch());
  }

  [[nodiscard]] WallTime wall_now() const override { return std::chrono::system_clock::now(); }

  [[nodiscard]] BootTime boot_now() const override {
    timespec time{};
    const int result = clock_gettime(CLOCK_BOOTTIME, &time);
    DAVIT_ASSERT(result == 0);  // Linux has it since 2.6.39.
    return BootTime(std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec));
  }

  void wait_until(CondVar& cond, Mutex& mutex, Time deadline) REQUIRES(mutex) override {
    cond.wait_for(mutex, deadline - now());
  }
};

}  // namespace

std::unique_ptr<Clock> make_system_clock() { return std::make_unique<SystemClock>(); }

}  // namespace davit
