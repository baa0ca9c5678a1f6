/// The informers of the process.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "host/cache/informer.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Whether both are about the same objects.
[[nodiscard]] bool same_selection(const InformerSpec& a, const InformerSpec& b);

class InformerFactory;

/// One use of an informer that is released some time after its last use has ended. Move-only; the
/// factory must outlive it.
class InformerUse {
 public:
  InformerUse(InformerFactory& factory, Informer& informer)
      : factory_(&factory), informer_(&informer) {}
  InformerUse(InformerUse&& other) noexcept
      : factory_(other.factory_), informer_(std::exchange(other.informer_, nullptr)) {}
  InformerUse& operator=(InformerUse&&) = delete;
  ~InformerUse();

  [[nodiscard]] Informer& informer() const { return *informer_; }

 private:
  InformerFactory* factory_;
  Informer* informer_;  // Null: moved from.
};

/// Shares informers: one for each resource and selection, which keeps what all its users together
/// read. A user that declares fields of metadata only and asks for ObjectForm::kMetadata shares one
/// of whole objects, if there is one: a further watch would cost more than those few fields. One
/// that runs already and keeps less than a later user needs is not touched: that user gets a second
/// one, unless a CacheRefill has come before. Threads: any.
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

  /// The time for which an informer is kept after its last use. A swap or a replaced definition
  /// ends the old uses and begins new ones within seconds, which should not cause a list.
  static constexpr Duration kUnusedMax = std::chrono::minutes(1);

  /// As informer(), with the indexes of `need`, started if start() was called, and released when
  /// unused for kUnusedMax. One that informer() has given out is shared, and never released.
  /// kUnavailable: the system has no thread for it.
  Result<InformerUse> acquire(const CacheNeed& need) EXCLUDES(mutex_);
  /// Ends those that have been unused for kUnusedMax, and waits for their threads. Called by the
  /// timer thread.
  void release_unused(Time now) EXCLUDES(mutex_);

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

  /// Those of acquire() may be released at any time: see each().
  [[nodiscard]] std::vector<Informer*> informers() const EXCLUDES(mutex_);
  /// Whether an informer is released when it is unused.
  enum class Life { kFactory, kUses };
  /// Calls `look` with each informer; none is released during this. `look` must not call the
  /// factory.
  void each(const std::function<void(const Informer&, Life)>& look) const EXCLUDES(mutex_);
  enum class Verified {
    kOne,
    kNoneSynced,  ///< There are some, but none has a content yet.
    kNone,        ///< There are no informers of such a resource.
  };
  /// Calls Informer::verify() for the one at the highest version among those of such a resource.
  Verified verify_newest(const std::function<bool(const ResourceId&)>& which, Time as_of)
      EXCLUDES(mutex_);

 private:
  friend class InformerUse;
  struct Shared {
    std::size_t users = 0;
    Time unused_since{};  // With no users.
  };

  void end_use(Informer& informer) EXCLUDES(mutex_);
  /// One that can serve `need`, a new one if there is none.
  [[nodiscard]] Informer& find_or_make(const CacheNeed& need) REQUIRES(mutex_);
  /// The longest pause of the timer thread, and so the longest wait of an informer that is started
  /// during it.
  static constexpr Duration kTickMax = std::chrono::seconds(30);

  void keep_time(const std::stop_token& stop) EXCLUDES(mutex_);

  const InformerSeams seams_;
  const Logger log_;
  const ReflectorOptions options_;
  mutable Mutex mutex_;
  CondVar wake_;
  std::vector<std::unique_ptr<Informer>> informers_ GUARDED_BY(mutex_);
  // Those that only acquire() has given out.
  std::map<Informer*, Shared> shared_ GUARDED_BY(mutex_);
  bool started_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::jthread timer_thread_;  // Resyncs and stalled watches; started by the first start().
};

}  // namespace davit::host
