/// The informers that one controller opens at run time ("davit.informer/2").
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <cstddef>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/cache/delta_queue.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/plugin/controller_informers.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/slot_table.hpp"
#include "host/run/controller_queue.hpp"

namespace davit::host {

/// An informer that a controller has open. Immutable, except for what it has delivered.
struct DynamicInformer {
  OpenedInformer opened;  ///< Its `informer` is null until commit().
  void (*on_closed)(void* self, const davit_call* call) = nullptr;
  ControllerQueue* wake_queue = nullptr;  ///< Null: no key is added.
  std::string wake_key;
  std::optional<InformerUse> use;
  /// The handler has returned from the first content. Released after that, so that who sees it
  /// finds what the handler did.
  mutable std::atomic<bool> is_filled{false};
  /// The handler has returned from all that the server had then.
  mutable std::atomic<Time> verified{Time::min()};

  void wake() const {
    if (wake_queue != nullptr) wake_queue->add(QueueKey(wake_key, {}));
  }
  /// Success when its content is there and was delivered.
  [[nodiscard]] Status filled() const;
  /// The objects that have these values in an index.
  [[nodiscard]] Result<std::vector<ObjectRef>> select(
      std::string_view index, const std::vector<std::string_view>& values) const;
};

/// Once the controller has begun, an informer counts as synced when its content is known to be at
/// least as new as that beginning: those that were open before, those that are opened later, and
/// those that share an informer that runs already. Thread-safe.
class DynamicInformers {
 public:
  using Entry = std::shared_ptr<const DynamicInformer>;

  /// One controller needs one for each resource, or a few. Large clusters have some thousand custom
  /// resources, so this is out of their reach; it ends what opens informers without end. Each costs
  /// a thread and a watch, and Linux gives a process some 30,000 threads. Kinds of Kubernetes and
  /// custom ones have this many each: no number of custom kinds keeps a built-in one out.
  static constexpr std::size_t kOpenMax = 16'384;
  static constexpr std::size_t kIndexPathsMax = 4;

  /// The references outlive this.
  DynamicInformers(const DeclaredController& declared, const HostServices& services)
      : declared_(declared), services_(services) {}
  DynamicInformers(const DynamicInformers&) = delete;
  DynamicInformers& operator=(const DynamicInformers&) = delete;
  ~DynamicInformers();

  /// `wake_queue` is that of the options, or null. Before commit() it is only noted. kUnsupported:
  /// kOpenMax are open; kUnavailable: the system has no thread for it. Either is logged and
  /// counted.
  Result<davit_handle> open(const davit_informer_options_v2& options, ControllerQueue* wake_queue)
      EXCLUDES(mutex_);
  /// False when the handle is stale.
  bool close(davit_handle handle) EXCLUDES(mutex_);
  /// Null when the handle is stale.
  [[nodiscard]] Entry find(davit_handle handle) const {
    return handles_.find(handle).value_or(nullptr);
  }

  /// Informers that are open.
  [[nodiscard]] std::size_t size() const { return handles_.size(); }

  /// The calls into the controller.
  struct Calls {
    std::function<void(const DynamicInformer&, const Change&)> on_change;
    std::function<void(const DynamicInformer&)> on_closed;
  };
  /// Begins to follow what was opened, now and later; changes go to `deltas`, which outlives this.
  Status commit(DeltaQueue& deltas, Calls calls) EXCLUDES(mutex_);
  /// The controller begins to act: from now on no content from before `since` is current.
  void begin(Time since) EXCLUDES(mutex_);
  /// Success: the content is there, is as new as the beginning and was delivered. kExpired: it may
  /// be older, and is being compared with the server. Else as in abi.h.
  [[nodiscard]] Status synced(const DynamicInformer& informer) const;
  /// Whether the content may be read. Not while synced() is kExpired.
  [[nodiscard]] Status readable(const DynamicInformer& informer) const {
    Status status = synced(informer);
    return status.code() == Code::kExpired ? status : Status();
  }

 private:
  using Kinds = Metrics::Kinds;

  [[nodiscard]] Result<davit_handle> add(const Entry& planned) EXCLUDES(mutex_);
  /// Counts a refusal, and logs the first since an informer was last opened.
  Status refuse(const DynamicInformer& planned, Status why) EXCLUDES(mutex_);
  [[nodiscard]] std::vector<davit_handle> open_handles() const REQUIRES(mutex_);
  void count(Kinds kinds, Metrics::InformerStep step) const;
  [[nodiscard]] Status check_rights(const davit_informer_options_v2& options) const;
  [[nodiscard]] Result<std::shared_ptr<DynamicInformer>> describe(
      const davit_informer_options_v2& options) const;
  /// Joins the informer that `planned` describes, in its place.
  Status attach(davit_handle handle, const DynamicInformer& planned) EXCLUDES(mutex_);
  void follow(DeltaQueue& deltas, davit_handle handle, const Entry& entry);
  void note_verified(const DynamicInformer& informer, Time as_of) const;

  const DeclaredController& declared_;
  const HostServices& services_;
  SlotTable<Entry, HandleKind::kDynamicInformer> handles_;
  mutable Mutex mutex_;
  std::map<davit_handle, Kinds> open_ GUARDED_BY(mutex_);
  std::size_t custom_ GUARDED_BY(mutex_) = 0;  // Those of open_ that are of custom kinds.
  bool refusal_is_logged_ GUARDED_BY(mutex_) = false;
  DeltaQueue* deltas_ GUARDED_BY(mutex_) = nullptr;  // Set by commit().
  Calls calls_;                                      // Set before deltas_, fixed then.
  std::atomic<Time> since_{Time::min()};             // The controller's beginning.
};

}  // namespace davit::host
