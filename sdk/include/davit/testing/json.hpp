/// Json: a small mutable JSON tree for tests. Not for production: it copies freely.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/result.hpp>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Marks what the library davit::testing exports; all else in it is hidden.
#define DAVIT_TESTING_API __attribute__((visibility("default")))

namespace davit::testing {

/// A JSON value that a test builds and compares.
class Json {
 public:
  Json() = default;                                                                   ///< Null.
  Json(std::string_view text) : kind_(Kind::kString), text_(text) {}                  // NOLINT
  Json(const char* text) : Json(std::string_view(text)) {}                            // NOLINT
  Json(const std::string& text) : Json(std::string_view(text)) {}                     // NOLINT
  Json(std::int64_t number) : kind_(Kind::kNumber), text_(std::to_string(number)) {}  // NOLINT
  Json(int number) : Json(static_cast<std::int64_t>(number)) {}                       // NOLINT
  Json(bool value) : kind_(Kind::kBoolean), text_(value ? "true" : "false") {}        // NOLINT
  [[nodiscard]] static Json object() { return Json(Kind::kObject, {}); }
  [[nodiscard]] static Json array() { return Json(Kind::kArray, {}); }
  /// A number with this text.
  [[nodiscard]] static Json number(std::string_view text) { return Json(Kind::kNumber, text); }

  /// kInvalid for malformed text, and for an object with a member twice.
  [[nodiscard]] DAVIT_TESTING_API static Result<Json> parse(std::string_view text);
  /// For literals in tests: throws std::runtime_error if the text is malformed.
  [[nodiscard]] static Json must(std::string_view text) {
    Result<Json> json = parse(text);
    if (json) return std::move(*json);
    throw std::runtime_error("malformed JSON in a test: " + std::string(json.error().message()) +
                             "\n" + std::string(text));
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::kObject; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::kArray; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::kNull; }
  /// The text of a string or number, "true" or "false"; "" for everything else.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The elements of an array, or the values of an object in the order of keys().
  [[nodiscard]] std::vector<Json>& items() { return items_; }
  [[nodiscard]] const std::vector<Json>& items() const { return items_; }
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

  /// Null when this is not an object or has no such member.
  [[nodiscard]] const Json* find(std::string_view key) const {
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found == keys_.end()) return nullptr;
    return &items_[static_cast<std::size_t>(found - keys_.begin())];
  }
  [[nodiscard]] Json* find(std::string_view key) {
    return const_cast<Json*>(std::as_const(*this).find(key));
  }
  /// The member, made when missing. A value that is not an object becomes one.
  Json& operator[](std::string_view key) {
    if (!is_object()) *this = object();
    if (Json* present = find(key)) return *present;
    keys_.emplace_back(key);
    return items_.emplace_back();
  }
  /// Follows member names; null when one is missing.
  [[nodiscard]] const Json* at(std::initializer_list<std::string_view> path) const {
    const Json* json = this;
    for (const std::string_view key : path) {
      json = json->find(key);
      if (json == nullptr) return nullptr;
    }
    return json;
  }
  /// The text at a path of member names, "" when there is none.
  [[nodiscard]] std::string text_at(std::initializer_list<std::string_view> path) const {
    const Json* json = at(path);
    return json == nullptr ? std::string() : json->text();
  }
  /// Whether there was such a member.
  bool erase(std::string_view key) {
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found == keys_.end()) return false;
    items_.erase(items_.begin() + (found - keys_.begin()));
    keys_.erase(found);
    return true;
  }
  Json& push_back(Json item) {
    if (!is_array()) *this = array();
    return items_.emplace_back(std::move(item));
  }

  [[nodiscard]] std::optional<std::int64_t> integer() const {
    std::int64_t out = 0;
    const char* end = text_.data() + text_.size();
    if (kind_ != Kind::kNumber) return std::nullopt;
    const auto [last, error] = std::from_chars(text_.data(), end, out);
    return error == std::errc() && last == end ? std::optional(out) : std::nullopt;
  }

  [[nodiscard]] std::string dump() const {
    std::string out;
    append(out, Order::kDocument);
    return out;
  }
  /// Keys sorted: equal values have equal texts.
  [[nodiscard]] std::string canonical() const {
    std::string out;
    append(out, Order::kSorted);
    return out;
  }
  /// Deep equality as davit_object_v1.equal defines it.
  friend bool operator==(const Json& a, const Json& b) { return a.canonical() == b.canonical(); }

 private:
  enum class Order { kDocument, kSorted };

  Json(Kind kind, std::string_view text) : kind_(kind), text_(text) {}

  void append(std::string& out, Order order) const {
    switch (kind_) {
      case Kind::kAbsent:
      case Kind::kNull:
        out += "null";
        return;
      case Kind::kBoolean:
      case Kind::kNumber:
        out += text_;
        return;
      case Kind::kString:
        append_json_string(out, text_);
        return;
      case Kind::kArray:
        break;
      case Kind::kObject:
        append_members(out, order);
        return;
    }
    out.push_back('[');
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i != 0) out.push_back(',');
      items_[i].append(out, order);
    }
    out.push_back(']');
  }
  void append_members(std::string& out, Order order) const {
    std::vector<std::size_t> indexes(keys_.size());
    std::iota(indexes.begin(), indexes.end(), std::size_t{0});
    if (order == Order::kSorted) {
      std::sort(indexes.begin(), indexes.end(),
                [this](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
    }
    out.push_back('{');
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      if (i != 0) out.push_back(',');
      append_json_string(out, keys_[indexes[i]]);
      out.push_back(':');
      items_[indexes[i]].append(out, order);
    }
    out.push_back('}');
  }

  Kind kind_ = Kind::kNull;
  std::string text_;
  std::vector<std::string> keys_;  // Objects only: as many as items_.
  std::vector<Json> items_;
};

}  // namespace davit::testing
