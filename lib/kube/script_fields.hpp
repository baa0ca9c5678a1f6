/// Scripts of the sandbox as JSON: members with types and limits, and the place of a mistake.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/kube/signed_duration.hpp>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit {

/// Far beyond any use, and so far from overflow that it can be added to any time.
inline constexpr Duration kLongestScriptTime = std::chrono::hours(24 * 365);

/// Reads the members of one object of a script, such as a rule of faults. Notes the first mistake,
/// and at the end the members that are unknown.
class ScriptFields {
 public:
  ScriptFields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) fail("", "must be an object");
  }

  /// The first mistake of all calls so far.
  [[nodiscard]] const Status& mistake() const { return mistake_; }
  [[nodiscard]] bool has(std::string_view key) const { return object_.contains(key); }
  void fail(std::string_view key, std::string_view why) {
    if (!mistake_.ok()) return;
    std::string place = path_;
    if (!key.empty()) place.append(place.empty() ? "" : ".").append(key);
    if (!place.empty()) place += ": ";
    mistake_ = {Code::kInvalid, place + std::string(why)};
  }

  void adopt(const Status& mistake) {
    if (mistake_.ok()) mistake_ = mistake;
  }

  void read(std::string_view key, std::string& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    if (!value->is_string()) return fail(key, "must be a string");
    out = value->text();
  }
  void read(std::string_view key, bool& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return fail(key, "must be true or false");
    out = value->boolean();
  }
  /// A string, or a list of them.
  void read(std::string_view key, std::vector<std::string>& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    if (value->is_string()) {
      out = {value->text()};
      return;
    }
    for (const Json& each : value->items()) {
      if (each.is_string()) out.push_back(each.text());
    }
    if (out.empty() || out.size() != value->size()) fail(key, "must be a string or a list of them");
  }
  void read(std::string_view key, Duration& out) {
    std::optional<Duration> read_to;
    read(key, read_to);
    out = read_to.value_or(out);
  }
  void read(std::string_view key, std::optional<Duration>& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    out = value->is_string() ? parse_signed_duration(value->text()) : std::nullopt;
    if (out && (*out < Duration(0) || *out > kLongestScriptTime)) out.reset();
    if (!out) fail(key, "must be a duration, such as \"1m30s\" or \"200ms\"");
  }
  void read(std::string_view key, std::optional<std::uint64_t>& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    const std::optional<std::int64_t> number = value->integer();
    if (!value->is_number() || !number || *number < 0) {
      return fail(key, "must be a whole number, 0 or more");
    }
    out = static_cast<std::uint64_t>(*number);
  }
  void read(std::string_view key, std::uint64_t& out) {
    std::optional<std::uint64_t> read_to;
    read(key, read_to);
    out = read_to.value_or(out);
  }
  void read_within(std::string_view key, int& out, int least, int most) {
    std::optional<std::uint64_t> number;
    read(key, number);
    if (!number) return;
    if (*number < static_cast<std::uint64_t>(least) || *number > static_cast<std::uint64_t>(most)) {
      return fail(key, "must be between " + std::to_string(least) + " and " + std::to_string(most));
    }
    out = static_cast<int>(*number);
  }
  [[nodiscard]] const Json* take(std::string_view key) {
    known_.push_back(key);
    return object_.find(key);
  }
  void refuse_others() {
    for (const Json::Member& each : object_.members()) {
      if (std::find(known_.begin(), known_.end(), each.key) == known_.end()) {
        fail(each.key, "is not known here");
      }
    }
  }
  [[nodiscard]] std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
  }

 private:
  const Json& object_;
  const std::string path_;
  std::vector<std::string_view> known_;
  Status mistake_;
};

}  // namespace davit
