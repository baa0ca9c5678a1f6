/// Queues, timers and informers of one controller in the in-memory cluster.
#pragma once

#include <davit/abi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/api.hpp>
#include <davit/key.hpp>
#include <davit/testing/document.hpp>
#include <davit/time.hpp>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::testing {

/// A work queue with the host's rules, drained by one caller.
class WorkQueue {
 public:
  explicit WorkQueue(const davit_queue_options& options) : options_(options) {}

  [[nodiscard]] const davit_queue_options& options() const { return options_; }

  void add(const std::string& key) {
    if (running_ == key) {
      stale_ = true;
    } else if (std::find(ready_.begin(), ready_.end(), key) == ready_.end()) {
      ready_.push_back(key);
    }
  }
  void add_at(const std::string& key, Time due) {
    const auto [place, is_new] = delayed_.try_emplace(key, due);
    if (!is_new) place->second = std::min(place->second, due);
  }
  /// The key's next back-off; counts one more failure.
  [[nodiscard]] Duration back_off(const std::string& key) {
    constexpr std::uint64_t kBaseMs = 5;
    constexpr std::uint64_t kMaxMs = 1'000'000;
    std::uint64_t delay = options_.base_ms == 0 ? kBaseMs : options_.base_ms;
    const std::uint64_t max = options_.max_ms == 0 ? kMaxMs : options_.max_ms;
    for (std::uint32_t i = 0; i < failures_[key] && delay < max; ++i) delay *= 2;
    ++failures_[key];
    return std::chrono::milliseconds(std::min(delay, max));
  }
  void forget(const std::string& key) { failures_.erase(key); }
  [[nodiscard]] std::uint32_t failures(const std::string& key) const {
    const auto found = failures_.find(key);
    return found == failures_.end() ? 0 : found->second;
  }

  /// Moves what is due to the ready keys, the longest due first.
  void wake(Time now) {
    while (const std::optional<Time> due = next_due()) {
      if (*due > now) return;
      const auto first =
          std::min_element(delayed_.begin(), delayed_.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      const std::string key = first->first;
      delayed_.erase(first);
      add(key);
    }
  }
  [[nodiscard]] std::optional<Time> next_due() const {
    std::optional<Time> due;
    for (const auto& [key, at] : delayed_) due = due ? std::min(*due, at) : at;
    return due;
  }
  [[nodiscard]] const std::deque<std::string>& ready() const { return ready_; }

  /// Begins a run of a ready key.
  void begin(const std::string& key) {
    ready_.erase(std::find(ready_.begin(), ready_.end(), key));
    running_ = key;
    stale_ = false;
  }
  void end() {
    const std::string key = *running_;
    running_.reset();
    if (stale_) add(key);
  }
  [[nodiscard]] const std::optional<std::string>& running() const { return running_; }

  /// Until the cache of `resource` has seen `version`, the running key is not handed out again.
  void wait_for(const std::string& resource, std::int64_t version) {
    if (!running_) return;
    std::int64_t& wanted = waits_[*running_][resource];
    wanted = std::max(wanted, version);
  }
  /// Goes on with what the queue of another build of the controller holds.
  void adopt(const WorkQueue& from) {
    for (const std::string& key : from.ready_) add(key);
    for (const auto& [key, due] : from.delayed_) add_at(key, due);
    failures_.insert(from.failures_.begin(), from.failures_.end());
    waits_.insert(from.waits_.begin(), from.waits_.end());
  }

  /// Versions that a key waits for, by resource.
  [[nodiscard]] const std::map<std::string, std::int64_t>& waits(const std::string& key) {
    return waits_[key];
  }

 private:
  davit_queue_options options_;
  std::deque<std::string> ready_;
  std::map<std::string, Time> delayed_;
  std::map<std::string, std::uint32_t> failures_;
  std::map<std::string, std::map<std::string, std::int64_t>> waits_;
  std::optional<std::string> running_;
  bool stale_ = false;  // The running key was added meanwhile.
};

/// A timer and when it fires next.
struct TestTimer {
  davit_timer_options options{};
  std::optional<Time> due{};  ///< Nothing once it is done or stopped.
};

/// One controller's interest in one resource.
struct Subscription {
  std::string resource;  ///< As qualified() writes it.
  std::string label_selector;
  std::string field_selector;
  void* self = nullptr;
  void (*on_event)(void* self, const davit_event* event) = nullptr;
  std::uint32_t mask = Projections::kFull;
  std::map<std::string, std::string> indexes{};  ///< Path by name.
};

/// The strings found at an index path.
inline void collect_index_keys(const Json& json, std::string_view path,
                               std::vector<std::string>& out) {
  if (path.empty()) {
    if (json.kind() == Kind::kString) out.push_back(json.text());
    return;
  }
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.starts_with("[]")) {
    for (const Json& each : json.items()) collect_index_keys(each, path.substr(2), out);
    return;
  }
  std::string_view key;
  if (path.starts_with("['")) {
    key = path.substr(2, path.find("']") - 2);
    path.remove_prefix(key.size() + 4);
  } else {
    key = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(key.size());
  }
  if (const Json* member = json.find(key)) collect_index_keys(*member, path, out);
}

/// The key of an object in one of the indexes that every informer has, or in a declared one.
[[nodiscard]] inline std::vector<std::string> index_keys(const Subscription& subscription,
                                                         std::string_view index,
                                                         const Json& object) {
  if (index == DAVIT_INDEX_NAMESPACE) return {object.text_at({"metadata", "namespace"})};
  if (index == DAVIT_INDEX_CONTROLLER) {
    if (const Json* owners = object.at({"metadata", "ownerReferences"})) {
      for (const Json& each : owners->items()) {
        if (each.text_at({"controller"}) == "true") return {each.text_at({"uid"})};
      }
    }
    return {"/" + object.text_at({"metadata", "namespace"})};
  }
  std::vector<std::string> keys;
  if (index == DAVIT_INDEX_LABEL) {
    const std::string ns = object.text_at({"metadata", "namespace"});
    const Json* labels = object.at({"metadata", "labels"});
    if (labels == nullptr) return keys;
    for (const std::string& label : labels->keys()) {
      keys.push_back(ns + "/" + label + "=" + labels->find(label)->text());
    }
    return keys;
  }
  const auto declared = subscription.indexes.find(std::string(index));
  if (declared != subscription.indexes.end()) collect_index_keys(object, declared->second, keys);
  return keys;
}

}  // namespace davit::testing
