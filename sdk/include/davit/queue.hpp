/// Queue: the keys that need a sync.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/informer.hpp>
#include <davit/key.hpp>
#include <davit/time.hpp>
#include <davit/trampoline.hpp>
#include <functional>
#include <string_view>
#include <utility>

namespace davit {

/// When a key that was synced successfully is synced again.
class Again {
 public:
  /// When something adds it.
  [[nodiscard]] static Again when_changed() { return Again(0); }
  /// After `delay` at the latest; at once when it is not positive.
  [[nodiscard]] static Again after(Duration delay) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(delay).count();
    return Again(static_cast<std::uint64_t>(std::max<std::int64_t>(ms, 1)));
  }
  /// The same, but the failures of the key so far stay counted: for work that continues elsewhere
  /// and may not be seen as done.
  [[nodiscard]] Again keeping_backoff() const {
    Again kept = *this;
    kept.keeps_backoff_ = true;
    return kept;
  }
  /// 0: when changed.
  [[nodiscard]] std::uint64_t after_ms() const { return after_ms_; }
  [[nodiscard]] bool keeps_backoff() const { return keeps_backoff_; }

  friend bool operator==(const Again&, const Again&) = default;

 private:
  explicit Again(std::uint64_t after_ms) : after_ms_(after_ms) {}
  std::uint64_t after_ms_;
  bool keeps_backoff_ = false;
};

/// Moves the cluster toward what the object named by the key asks for. Idempotent; never runs twice
/// at once for one key. An error tries again with back-off.
using SyncFunction = std::function<Result<Again>(const Key&)>;

struct QueueOptions {
  std::string_view name;                    ///< Label of the workqueue_* metrics; empty: none.
  std::uint32_t workers = 0;                ///< 0: as the note or the operator says.
  std::chrono::milliseconds base_delay{0};  ///< First back-off of a failing key; 0: 5 ms.
  std::chrono::milliseconds max_delay{0};   ///< Longest back-off; 0: 1000 s.
  std::uint32_t retries_max = 0;            ///< Failures in a row until a key is dropped; 0: never.
};

/// A handle: cheap to copy, valid as long as the controller lives. All calls return at once and may
/// come from handlers, syncs and timers.
class Queue {
 public:
  /// Opened by Context::open_queue.
  Queue(const Api& api, davit_handle handle) : api_(&api), handle_(handle) {}

  /// A waiting key is not added again; one that runs now runs exactly once more.
  void add(const Key& key) const { add_text(key.text()); }
  /// The key of an object.
  void add(const ObjectView& object) const { add(object.key()); }
  /// If one key has several delays, the earliest wins; one that is not positive adds at once.
  void add_after(const Key& key, Duration delay) const {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(delay).count();
    if (ms <= 0) return add(key);
    const std::string text = key.text();
    static_cast<void>(
        api_->queue->add_after(api_->call(), handle_, to_c(text), static_cast<std::uint64_t>(ms)));
  }
  /// Same as add(); keys with the same shard never run at the same time.
  void add_sharded(const Key& key, std::string_view shard) const {
    const std::string text = key.text();
    static_cast<void>(api_->queue->add_sharded(api_->call(), handle_, to_c(text), to_c(shard)));
  }
  /// After the key's next back-off.
  void add_rate_limited(const Key& key) const {
    const std::string text = key.text();
    static_cast<void>(api_->queue->add_rate_limited(api_->call(), handle_, to_c(text)));
  }
  /// Ends the key's back-off.
  void forget(const Key& key) const {
    const std::string text = key.text();
    static_cast<void>(api_->queue->forget(api_->call(), handle_, to_c(text)));
  }
  /// The number of times in a row that the key failed.
  [[nodiscard]] std::uint32_t failures(const Key& key) const {
    const std::string text = key.text();
    return api_->queue->failures(api_->call(), handle_, to_c(text));
  }

  [[nodiscard]] davit_handle handle() const { return handle_; }

 private:
  void add_text(std::string_view text) const {
    static_cast<void>(api_->queue->add(api_->call(), handle_, to_c(text)));
  }

  const Api* api_;
  davit_handle handle_;
};

namespace detail {

/// Writes what a sync or a timer decided.
inline Status decided(const Result<Again>& again, davit_sync_result& out) {
  if (again) {
    out.again_ms = again->after_ms();
    out.keep_backoff = again->keeps_backoff() ? 1 : 0;
  }
  return again.error();
}

class SyncAnchor final : public Anchored {
 public:
  SyncAnchor(const Api& api, SyncFunction sync) : api_(api), sync_(std::move(sync)) {}

  static davit_code sync(void* self, const davit_call* call, davit_str key,
                         davit_sync_result* result) noexcept {
    const auto& anchor = *static_cast<SyncAnchor*>(self);
    return guarded(anchor.api_, call,
                   [&] { return decided(anchor.sync_(Key::parse(from_c(key))), *result); });
  }

 private:
  const Api& api_;
  SyncFunction sync_;
};

}  // namespace detail
}  // namespace davit
