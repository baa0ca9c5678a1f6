/// The identity of an object that cannot be kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace davit::host {

/// The readable identity of an object; members are empty if they are missing, unreadable or too
/// long.
struct ObjectIdentity {
  std::string api_version{};
  std::string kind{};
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string resource_version{};
  std::string controller_uid{};  ///< From the owner reference whose `controller` is true.

  friend bool operator==(const ObjectIdentity&, const ObjectIdentity&) = default;
};

/// Reads the identity of one object from pieces of its text. It stores only a few strings,
/// regardless of the object's size and depth, and accepts text that is not JSON: it only follows
/// quotes, brackets, colons and commas. Not thread-safe.
class IdentityScan {
 public:
  /// The object's position in the text.
  enum class Root {
    kObject,      ///< The text is the object.
    kWatchEvent,  ///< It is the member `object` of the text, beside `type`.
  };
  explicit IdentityScan(Root root) : root_(root) {}

  /// Looks at the next piece of the text.
  void feed(std::string_view piece);

  /// The identity as far as it has been read.
  [[nodiscard]] ObjectIdentity identity() const;
  /// The member `type` of a watch event, as JSON; empty if it has not come.
  [[nodiscard]] const std::string& type_json() const { return texts_[kType]; }

 private:
  enum Field : std::uint8_t {
    kType,
    kApiVersion,
    kKind,
    kNamespace,
    kName,
    kUid,
    kResourceVersion,
    kOwnerReferences,
    kFields,
  };
  static constexpr std::size_t kLevels = 3;  // Objects around the deepest member that matters.

  void in_text(char c);
  void between(char c);
  void begin_value(char c);
  void end_value();
  void end_string();
  void enter(char c);
  void leave();
  [[nodiscard]] std::optional<Field> field() const;
  [[nodiscard]] bool in_object() const {
    return depth_ >= 1 && depth_ <= kLevels && is_object_[depth_ - 1];
  }

  const Root root_;
  std::uint64_t depth_ = 0;
  std::array<bool, kLevels> is_object_{};
  std::array<std::string, kLevels> keys_{};  // The member at hand on each level.
  bool in_string_ = false;
  bool escaped_ = false;
  bool expects_key_ = false;
  bool is_key_ = false;  // Whether the string at hand is a key.
  std::optional<Field> taking_;
  std::uint64_t taking_depth_ = 0;
  bool too_long_ = false;
  std::array<std::string, kFields> texts_{};  // JSON.
};

/// The same of text that is there as a whole.
[[nodiscard]] ObjectIdentity read_identity(std::string_view json);

}  // namespace davit::host
