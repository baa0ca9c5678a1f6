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
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

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
    const auto found = opened_.find(key.text());
    if (found == opened_.end()) return Duration::zero();
    return std::max(found->second + length_ - now, Duration::zero());
  }

  /// A write to `key` was sent at `now` and succeeded.
  void wrote(const Key& key, Time now) {
    if (length_ <= Duration::zero()) return;
    const std::lock_guard lock(mutex_);
    while (!order_.empty() && order_.front().first + length_ <= now) {
      const auto found = opened_.find(order_.front().second);
      // A key that was written again since has a later entry.
      if (found != opened_.end() && found->second == order_.front().first) opened_.erase(found);
      order_.pop_front();
    }
    const std::string text = key.text();
    opened_[text] = now;
    order_.emplace_back(now, text);
  }

  /// Keys with a window that was open when wrote() was last called.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return opened_.size();
  }

 private:
  const Duration length_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Time> opened_;
  std::deque<std::pair<Time, std::string>> order_;  // Keys of opened_, past ones too, by age.
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
