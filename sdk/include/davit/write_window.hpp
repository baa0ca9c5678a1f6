/// WriteWindow: several writes to one object within a short time become one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <davit/key.hpp>
#include <davit/kube/duration.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace davit {

/// The first write to an object is made at once and opens a window. Later ones wait until it ends,
/// and are then made together, which opens the next window.
///
///   change      change  change      window ends             change
///   write ······ wait ── wait ───── write of both ········· write, when no window is open
///
/// Only for writes that report what is so, such as a status or Endpoints: their last content
/// matters, and not each one in between. A sync whose write has to wait returns
/// `Again::after(window.wait(…))` and plans again then. Thread-safe.
class WriteWindow {
 public:
  /// Zero or less: no write waits.
  explicit WriteWindow(Duration length) : length_(length) {}

  /// The time that a write to `key` has to wait; zero: none.
  [[nodiscard]] Duration wait(const Key& key, Time now) const {
    const std::lock_guard lock(mutex_);
    const auto found = ends_.find(key.text());
    if (found == ends_.end()) return Duration::zero();
    return std::max(found->second - now, Duration::zero());
  }

  /// A write to `key` was sent at `began` and succeeded after `took`. If 20 times `took` is more
  /// than the length of a window, this window is that long, but at most ten lengths: a server that
  /// is slow under its load gets fewer writes. A writer whose writes set the pace of others, such
  /// as the status that a rollout waits for, leaves `took` out.
  void wrote(const Key& key, Time began, Duration took = Duration::zero()) {
    if (length_ <= Duration::zero()) return;
    const Time end = began + std::clamp(took * kTimesTook, length_, length_ * kLengthsMax);
    const std::lock_guard lock(mutex_);
    while (!order_.empty() && order_.top().first <= began) {
      const auto found = ends_.find(order_.top().second);
      // A key that was written again since has another entry.
      if (found != ends_.end() && found->second == order_.top().first) ends_.erase(found);
      order_.pop();
    }
    const std::string text = key.text();
    ends_[text] = end;
    order_.emplace(end, text);
  }

  /// Keys with a window that was open when wrote() was last called.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return ends_.size();
  }

 private:
  using End = std::pair<Time, std::string>;

  /// An object's writes take up a twentieth of the time at most.
  static constexpr int kTimesTook = 20;
  static constexpr int kLengthsMax = 10;

  const Duration length_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Time> ends_;  // The key is that of the object.
  // The same by time, and ends that a later write replaced.
  std::priority_queue<End, std::vector<End>, std::greater<>> order_;
};

/// The member of a controller's configuration that sets the length of its window.
inline constexpr std::string_view kWriteWindowOption = "writeWindow";

/// Reads it: a duration from "0s", which is upstream's behaviour, to "10s"; 100 ms when it is
/// absent. That is short beside what a rollout takes, and longer than pods of one wave lie apart.
[[nodiscard]] inline Result<Duration> read_write_window(Value config) {
  constexpr Duration kUnset = std::chrono::milliseconds(100);
  constexpr Duration kMost = std::chrono::seconds(10);
  const Value option = config[kWriteWindowOption];
  if (option.is_absent()) return kUnset;
  const std::optional<Duration> length = parse_duration(option.string());
  if (!length || *length < Duration::zero() || *length > kMost) {
    return Status(Code::kInvalid, std::string(kWriteWindowOption) +
                                      " must be a duration from \"0s\" to \"10s\", such as "
                                      "\"100ms\"");
  }
  return *length;
}

}  // namespace davit
