/// Conditions in an object's status, and the rules for setting them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/kube/time.hpp>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// A view of one condition.
class ConditionView {
 public:
  explicit ConditionView(Value value) : value_(value) {}

  [[nodiscard]] std::string_view type() const { return value_[&Names::type].string(); }
  /// "True", "False" or "Unknown".
  [[nodiscard]] std::string_view status() const { return value_[&Names::status].string(); }
  [[nodiscard]] std::string_view reason() const { return value_[&Names::reason].string(); }
  [[nodiscard]] std::string_view message() const { return value_[&Names::message].string(); }
  [[nodiscard]] std::optional<WallTime> last_transition_time() const {
    return parse_time(value_[&Names::last_transition_time].string());
  }
  [[nodiscard]] std::optional<WallTime> last_update_time() const {
    return parse_time(value_[&Names::last_update_time].string());
  }
  [[nodiscard]] std::optional<std::int64_t> observed_generation() const {
    return value_[&Names::observed_generation].integer();
  }
  [[nodiscard]] bool is_true() const { return status() == "True"; }
  [[nodiscard]] Value value() const { return value_; }

 private:
  Value value_;
};

/// The first condition of this type in a conditions array.
[[nodiscard]] std::optional<ConditionView> find_condition(Value conditions, std::string_view type);

/// A condition to write. Times have whole seconds, as the API server stores them. Reason and
/// message are written even if they are empty, because schemas of custom resources require them.
struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::optional<WallTime> last_transition_time;
  std::optional<WallTime> last_update_time;  ///< Used by Deployments, not by ReplicaSets.
  /// The generation that the condition describes; used by custom resources.
  std::optional<std::int64_t> observed_generation = std::nullopt;
  /// All other members as JSON text: `"name":value`, separated by commas. from() sets it, and
  /// write() writes it unchanged.
  std::string others = {};

  [[nodiscard]] static Condition from(const ConditionView& view);

  void write(JsonWriter& out) const;

  /// Compares everything except `others`, which belong to another writer.
  friend bool operator==(const Condition& a, const Condition& b);
};

/// The conditions of a status being computed, in their order. Conditions of the original array that
/// were not set since are written unchanged; a condition that replaces another keeps its unknown
/// members.
class ConditionList {
 public:
  ConditionList() = default;
  /// A copy of a conditions array.
  explicit ConditionList(Value conditions);

  [[nodiscard]] const Condition* find(std::string_view type) const {
    for (const Condition& each : conditions_) {
      if (each.type == type) return &each;
    }
    return nullptr;
  }

  /// Upstream's rule (SetDeploymentCondition, SetCondition): if status and reason are the same, the
  /// existing condition stays unchanged, including message and times. Otherwise the new one
  /// replaces it at the end of the list, and keeps the old transition time if the status is the
  /// same.
  void set(Condition condition);

  void remove(std::string_view type);
  /// Replaces the condition of its type in place, or appends it. Returns whether the list changed.
  bool replace(Condition condition);
  /// Appends the condition unconditionally; for rules other than set().
  void append(Condition condition);

  void write(JsonWriter& out) const;

  [[nodiscard]] bool empty() const { return conditions_.empty(); }
  [[nodiscard]] std::size_t size() const { return conditions_.size(); }
  [[nodiscard]] auto begin() const { return conditions_.begin(); }
  [[nodiscard]] auto end() const { return conditions_.end(); }

  friend bool operator==(const ConditionList& a, const ConditionList& b) {
    return a.conditions_ == b.conditions_;
  }

 private:
  std::vector<Condition> conditions_;
  std::vector<std::string> as_read_;  // The JSON text of each; empty: it was set.
};

}  // namespace davit
