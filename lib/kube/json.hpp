/// Json: the mutable JSON tree of the sandbox. Members keep their order, numbers their text.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace davit {

/// Has value semantics: copying copies the tree. Equality ignores the order of members and compares
/// numbers by value if both are integers, otherwise by text.
class Json {
 public:
  enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };
  struct Member;
  using Items = std::vector<Json>;
  using Members = std::vector<Member>;

  Json();                                                        ///< Null.
  Json(std::string text);                                        // NOLINT
  Json(std::string_view text) : Json(std::string(text)) {}       // NOLINT
  Json(const char* text) : Json(std::string(text)) {}            // NOLINT
  Json(bool value);                                              // NOLINT
  Json(std::int64_t number);                                     // NOLINT
  Json(int number) : Json(static_cast<std::int64_t>(number)) {}  // NOLINT
  Json(Items items);                                             // NOLINT
  Json(Members members);                                         // NOLINT
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  [[nodiscard]] static Json object(std::initializer_list<std::pair<std::string_view, Json>> = {});
  [[nodiscard]] static Json array(std::initializer_list<Json> = {});
  /// A number with exactly this text.
  [[nodiscard]] static Json number(std::string_view text);

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] bool is_null() const { return kind() == Kind::kNull; }
  [[nodiscard]] bool is_boolean() const { return kind() == Kind::kBoolean; }
  [[nodiscard]] bool is_number() const { return kind() == Kind::kNumber; }
  [[nodiscard]] bool is_string() const { return kind() == Kind::kString; }
  [[nodiscard]] bool is_array() const { return kind() == Kind::kArray; }
  [[nodiscard]] bool is_object() const { return kind() == Kind::kObject; }
  /// Whether it is null, "", 0, false, [] or {}: the values that Go's omitempty leaves out.
  [[nodiscard]] bool empty() const;

  /// The text of a string or of a number; "" for everything else.
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool boolean() const;  ///< False unless it is `true`.
  /// A number without fraction and exponent that fits into 64 bits.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  [[nodiscard]] std::int64_t integer_or(std::int64_t fallback) const {
    return integer().value_or(fallback);
  }

  /// The elements of an array; an empty list for everything else.
  [[nodiscard]] const Items& items() const;
  /// The members of an object in their order; an empty list for everything else.
  [[nodiscard]] const Members& members() const;
  /// The elements; a value that is not an array becomes an empty array.
  Items& make_array();
  /// The members; a value that is not an object becomes an empty object.
  Members& make_object();
  /// The number of elements of an array or members of an object.
  [[nodiscard]] std::size_t size() const;

  /// The member with this key; null if there is none or this is not an object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] Json* find(std::string_view key);
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The member, created if missing. A value that is not an object becomes one.
  Json& operator[](std::string_view key);
  /// The member, or a shared null if there is none.
  [[nodiscard]] const Json& get(std::string_view key) const;
  /// Follows a path of member names; null if one is missing.
  [[nodiscard]] const Json* at(std::initializer_list<std::string_view> path) const;
  [[nodiscard]] Json* at(std::initializer_list<std::string_view> path);
  /// The text at a path of member names; "" if there is none.
  [[nodiscard]] const std::string& text_at(std::initializer_list<std::string_view> path) const;
  void set(std::string_view key, Json value) { (*this)[key] = std::move(value); }
  /// Removes a member. False: there was none.
  bool erase(std::string_view key);
  Json& push_back(Json item);

  friend bool operator==(const Json& a, const Json& b);
  friend bool operator!=(const Json& a, const Json& b) { return !(a == b); }

 private:
  struct Number {
    std::string text;
  };
  /// Destroys the tree level by level: recursion would need a stack as deep as the tree.
  void destroy_children();

  std::variant<std::monostate, bool, Number, std::string, Items, Members> value_;
};

struct Json::Member {
  std::string key;
  Json value;
};

// Inline, because building a tree mostly moves values.
inline Json::Json(Json&&) noexcept = default;
inline Json& Json::operator=(Json&&) noexcept = default;
inline Json::Kind Json::kind() const { return static_cast<Kind>(value_.index()); }
inline Json::~Json() {
  if (kind() >= Kind::kArray) destroy_children();
}

/// Defects that the parser tolerated, as paths such as `data.a` and `spec.containers[0].name`.
struct JsonFindings {
  /// Duplicate members, each listed once, in the order of their second occurrence. The last one
  /// wins.
  std::vector<std::string> duplicates;
};

/// The offsets of the first and second member with one path.
struct MemberOffsets {
  std::size_t first = 0;
  std::size_t second = 0;  ///< 0: there is only one.
};
/// The offsets of those `paths` that occur in `text`, which must be valid JSON.
[[nodiscard]] std::unordered_map<std::string, MemberOffsets> member_offsets(
    std::string_view text, const std::vector<std::string>& paths);

/// The deepest nesting that is parsed. Go's decoder allows 10,000. Functions that walk a tree are
/// recursive and must fit on a thread's stack under every sanitizer; no object of the API is deeper
/// than 100.
inline constexpr std::size_t kJsonDepthMax = 1'000;

/// Parses one JSON value, followed by nothing except white space. kInvalid with the position if the
/// text is malformed or deeper than kJsonDepthMax. Bytes that are not UTF-8 become U+FFFD, as in
/// Go's decoder.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonFindings* findings = nullptr);
/// Parses a literal of davit's own code: malformed text ends the process.
[[nodiscard]] Json json_literal(std::string_view text);

/// `text` with every byte that is not UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Compact text, members in their order.
[[nodiscard]] std::string to_text(const Json& json);
void append_text(std::string& out, const Json& json);
/// Text indented by two spaces, as for `?pretty=true`.
[[nodiscard]] std::string to_pretty_text(const Json& json);
/// Text with members sorted by key, so that equal values have equal texts.
[[nodiscard]] std::string to_canonical_text(const Json& json);

}  // namespace davit
