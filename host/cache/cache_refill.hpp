/// Caches that get more to keep while they serve.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "host/cache/informer_refill.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

class InformerFactory;

/// Fetches what new users need and no running informer keeps: a running one of the same resource
/// and selectors is refilled, else a new one is made. Either all of it comes to serve, or nothing.
/// Belongs to one thread.
class CacheRefill final : private RefillObserver {
 public:
  /// Both outlive this; the factory has one refill at a time.
  CacheRefill(InformerFactory& factory, Clock& clock) : factory_(factory), clock_(clock) {}
  /// Once. kInvalid: a path is malformed.
  Status begin(const std::vector<CacheNeed>& needs);
  /// Takes back what does not serve.
  ~CacheRefill() override;

  enum class End {
    kServing,   ///< The whole content.
    kRefused,   ///< The server will not give it, now or later.
    kTimedOut,  ///< The deadline came first.
    kStopped,
  };
  /// Waits until all of it serves, or will not. Afterwards only the destructor.
  End wait(Time deadline, std::stop_token stop) EXCLUDES(mutex_);

  /// The resources that it lists: "pods", "services", …; empty: all were there.
  [[nodiscard]] std::vector<std::string> resources() const;
  /// The resources that are missing, and the server's last response about them.
  [[nodiscard]] std::string missing() const;

 private:
  struct Part {
    CacheNeed need;
    std::unique_ptr<Informer> made;  // Null: one of the factory's.
    Informer* informer = nullptr;
    std::unique_ptr<Informer::Refill> refill;
  };

  Status begin_part(Part& part);
  void refill_moved() override EXCLUDES(mutex_);
  /// Waits until something has moved since `moves`; false: the time is over.
  bool await_move(std::uint64_t moves, Time deadline, const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] std::uint64_t moves() EXCLUDES(mutex_);
  [[nodiscard]] bool all_at_least(Informer::Refill::State state) const;
  [[nodiscard]] bool is_refused() const;

  InformerFactory& factory_;
  Clock& clock_;
  Mutex mutex_;  // A leaf: taken under an informer's lock.
  CondVar moved_;
  std::uint64_t moves_ GUARDED_BY(mutex_) = 0;
  std::vector<Part> parts_;  // Last: its threads use the others. Fixed by begin().
};

}  // namespace davit::host
