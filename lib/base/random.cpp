#include "lib/base/random.hpp"

#include <random>

#include "lib/base/mutex.hpp"

namespace davit {
namespace {

class EngineRandom final : public Random {
 public:
  explicit EngineRandom(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] std::uint64_t next() override {
    MutexLock lock(mutex_);
    return engine_();
  }

 private:
  Mutex mutex_;
  std::mt19937_64 engine_ GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Random> make_system_random() {
  std::random_device device;
  const auto high = static_cast<std::uint64_t>(device());
  return std::make_unique<EngineRandom>(high << 32 | device());
}

std::unique_ptr<Random> make_seeded_random(std::uint64_t seed) {
  return std::make_unique<EngineRandom>(seed);
}

}  // namespace davit
