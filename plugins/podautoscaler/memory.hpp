/// Memory: the past of every autoscaler.
#pragma once

#include <davit/json_writer.hpp>
#include <davit/key.hpp>
#include <davit/object.hpp>
#include <davit/time.hpp>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plugins/podautoscaler/replica_limits.hpp"

namespace davit::podautoscaler {

/// Histories by autoscaler, which end with its UID: another autoscaler of the name inherits
/// nothing (docs/spec/hpa.md, D5). Thread-safe; one key is never synced twice at once, so that a
/// sync may take its history out, change it and put it back.
class Memory {
 public:
  /// A copy; empty for an autoscaler that is new.
  [[nodiscard]] ScalingHistory take(const Key& key, std::string_view uid) const;
  void put(const Key& key, std::string_view uid, ScalingHistory history);
  void forget(const Key& key);

  /// The whole content as a list, for a HandedState.
  void write(JsonWriter& out) const;
  /// Replaces the content. kInvalid: `list` is none that write() wrote.
  [[nodiscard]] Status read(Value list, Time now);

 private:
  struct Record {
    std::string uid;
    ScalingHistory history;
  };

  mutable std::mutex mutex_;
  std::unordered_map<Key, Record> records_;
};

}  // namespace davit::podautoscaler
