/// StateFields: reads a HandedState's JSON, which may be anything at all.
#pragma once

#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// A time as a state has it: nanoseconds of the monotonic clock, which both builds share.
[[nodiscard]] inline std::int64_t state_time(Time time) { return time.time_since_epoch().count(); }

/// One object of a state. The first member that is missing or of another kind is remembered in
/// `status`, which all objects of one state share; from then on each read returns an empty value. A
/// reader therefore reads everything, and checks `status` once before it takes anything over.
class StateFields {
 public:
  StateFields(Value object, Status& status) : object_(object), status_(&status) {
    if (object.kind() != Kind::kObject) refuse("", "an object");
  }

  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  /// Between the two, both included.
  struct Range {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
  };
  [[nodiscard]] std::int64_t integer(std::string_view name) const { return integer(name, Range()); }
  [[nodiscard]] std::int64_t integer(std::string_view name, Range range) const;
  /// A time that can be compared and subtracted without fear.
  [[nodiscard]] Time time(std::string_view name) const {
    constexpr std::int64_t kFar = std::int64_t{1} << 61;
    return Time(Duration(integer(name, {-kFar, kFar})));
  }
  /// A time that lies behind us.
  [[nodiscard]] Time past(std::string_view name, Time now) const;
  [[nodiscard]] bool has(std::string_view name) const { return !object_[name].is_absent(); }
  [[nodiscard]] Value array(std::string_view name) const;
  /// A list of texts.
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] StateFields object(std::string_view name) const {
    return StateFields(object_[name], *status_);
  }
  /// For rules of the reader's own.
  void refuse(std::string_view name, std::string_view wanted) const;

  /// Whether all reads of the state so far went well.
  [[nodiscard]] const Status& status() const { return *status_; }
  /// An element of one of the lists, as an object.
  [[nodiscard]] StateFields element(Value value) const { return StateFields(value, *status_); }

 private:
  Value object_;
  Status* status_;
};

}  // namespace davit
