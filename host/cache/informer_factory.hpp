/// The informers of the process.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "host/cache/informer.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Whether both are about the same objects.
[[nodiscard]] bool same_selection(const InformerSpec& a, const InformerSpec& b);

/// Shares informers: one for each resource and selection, which keeps what all its users together
/// read. One that runs already and keeps less than a later user needs is not touched: that user
/// gets a second one, unless a CacheRefill has come before. Threads: any.
class InformerFactory {
 public:
  InformerFactory(const InformerSeams& seams, Logger log, ReflectorOptions options = {});
  ~InformerFactory();  ///< Stops everything.

  /// The informer for `need`, which lives as long as the factory. It fills once start() is called.
  /// kInvalid: a path of the projection is malformed.
  Result<Informer*> informer(const CacheNeed& need) EXCLUDES(mutex_);
  Result<Informer*> informer(const InformerSpec& spec) EXCLUDES(mutex_) {
    return informer(CacheNeed{spec});
  }

  /// Whether informer() would give one that runs already.
  [[nodiscard]] bool serves(const CacheNeed& need) const EXCLUDES(mutex_);

  // For CacheRefill.

  /// The last one made that runs and follows the same resource and selectors, or null.
  [[nodiscard]] Informer* running(const InformerSpec& spec) const EXCLUDES(mutex_);
  /// One that is not among those of the factory until it is adopted.
  [[nodiscard]] std::unique_ptr<Informer> make(const InformerSpec& spec) const;
  void adopt(std::unique_ptr<Informer> informer) EXCLUDES(mutex_);

  /// Starts every informer that does not run yet. May be called again.
  Status start() EXCLUDES(mutex_);
  /// Ends all threads and waits for them; for good.
  void stop() EXCLUDES(mutex_);

  [[nodiscard]] std::vector<Informer*> informers() const EXCLUDES(mutex_);

 private:
  /// The longest pause of the timekeeper: an informer that was started meanwhile waits at most this
  /// long.
  static constexpr Duration kTickMax = std::chrono::seconds(30);

  void keep_time(const std::stop_token& stop) EXCLUDES(mutex_);

  const InformerSeams seams_;
  const Logger log_;
  const ReflectorOptions options_;
  mutable Mutex mutex_;
  CondVar wake_;
  std::vector<std::unique_ptr<Informer>> informers_ GUARDED_BY(mutex_);
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::jthread timekeeper_;  // Resyncs and deaf watches; started by the first start().
};

}  // namespace davit::host
