#include "cli/validate/cache_wait.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "lib/base/mutex.hpp"
#include "lib/kube/label_selector.hpp"
#include "sandbox/rest/field_selector.hpp"

namespace davit::host {
namespace {

/// Wakes a wait when a cache moves to another version.
class CacheProgress final : public Listener {
 public:
  explicit CacheProgress(Clock& clock) : clock_(clock) {}
  void on_initial(std::vector<ObjectRef>) override { moved(); }
  void on_change(const Change&) override {}
  void on_progress(std::uint64_t) override { moved(); }

  /// Waits until `done`, which is asked after each move. False when `give_up` comes first.
  template <typename Done>
  [[nodiscard]] bool wait(Done done, Time give_up) EXCLUDES(mutex_) {
    for (;;) {
      const std::uint64_t seen = moves();
      if (done()) return true;
      MutexLock lock(mutex_);
      while (moves_ == seen) {
        if (clock_.now() >= give_up) return false;
        clock_.wait_until(changed_, mutex_, give_up);
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t moves() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return moves_;
  }
  void moved() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++moves_;
    changed_.notify_all();
  }

  Clock& clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::uint64_t moves_ GUARDED_BY(mutex_) = 0;
};

/// The last change that a cache has yet to see, or 0.
sandbox::Revision awaited_by(const Informer& informer, const sandbox::ApiServer& server,
                             const sandbox::Store& store) {
  const std::uint64_t seen = informer.store().version();
  if (seen == 0) return 0;  // Not filled.
  const InformerSpec& spec = informer.spec();
  const auto resources = server.resources();
  const auto served =
      resources->find(spec.resource.group, spec.resource.version, spec.resource.resource);
  if (!served) return 0;
  const auto changes =
      store.changes(served->collection, seen, std::numeric_limits<std::size_t>::max());
  const auto labels = LabelSelector::parse(spec.label_selector);
  const auto fields = sandbox::FieldSelector::parse(spec.field_selector, *served);
  // Without them the server refuses the watch, or makes it list again.
  if (!changes || !labels || !fields) return 0;
  const auto shows = [&](const sandbox::VersionPtr& object) {
    return object != nullptr && (spec.ns.empty() || object->ns == spec.ns) &&
           labels->matches(object->labels) && fields->matches(*object);
  };
  const auto last =
      std::find_if(changes->rbegin(), changes->rend(), [&](const sandbox::Change& change) {
        return shows(change.object) || shows(change.previous);
      });
  return last == changes->rend() ? 0 : last->object->revision;
}

}  // namespace

bool await_caches(const std::vector<Informer*>& informers, const sandbox::ApiServer& server,
                  const sandbox::Store& store, Clock& clock, Time give_up) {
  struct Cache {
    Informer* informer;
    sandbox::Revision awaited;
  };
  std::vector<Cache> caches;
  for (Informer* informer : informers) {
    caches.push_back({informer, awaited_by(*informer, server, store)});
  }
  CacheProgress progress(clock);
  for (const Cache& each : caches) {
    each.informer->add_listener(progress, Informer::PastContent::kSkip);
  }
  const bool seen = progress.wait(
      [&] {
        return std::all_of(caches.begin(), caches.end(), [](const Cache& each) {
          return each.informer->store().version() >= each.awaited;
        });
      },
      give_up);
  // Each removal waits until what the cache has seen is in the queues.
  for (const Cache& each : caches) each.informer->remove_listener(progress);
  return seen;
}

}  // namespace davit::host
