/// FieldPath: the path of a field, formatted only when a rule fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace davit {

/// A path such as `spec.containers[0].name`, as a chain of steps that live on the stack.
///
/// Every step borrows its parent and its name and must not outlive them: keep the parent in a
/// variable. A name may contain several steps, joined by dots.
class FieldPath {
 public:
  /// The path of the object itself, or of `name` in it.
  constexpr FieldPath() = default;
  constexpr explicit FieldPath(std::string_view name) : name_(name), form_(Form::kName) {}

  [[nodiscard]] FieldPath child(std::string_view name) const& { return {this, name, Form::kName}; }
  [[nodiscard]] FieldPath index(std::size_t index) const& {
    FieldPath out(this, {}, Form::kIndex);
    out.index_ = index;
    return out;
  }
  /// A member of a map: `limits[cpu]`.
  [[nodiscard]] FieldPath key(std::string_view key) const& { return {this, key, Form::kKey}; }
  // A step of a temporary would outlive it.
  [[nodiscard]] FieldPath child(std::string_view name) && = delete;
  [[nodiscard]] FieldPath index(std::size_t index) && = delete;
  [[nodiscard]] FieldPath key(std::string_view key) && = delete;

  /// Whether it is the path of the object itself.
  [[nodiscard]] bool is_root() const { return form_ == Form::kRoot; }
  [[nodiscard]] std::string text() const;
  /// text() with another step.
  [[nodiscard]] std::string text(std::string_view child) const;

 private:
  enum class Form : unsigned char { kRoot, kName, kIndex, kKey };
  FieldPath(const FieldPath* parent, std::string_view name, Form form)
      : parent_(parent), name_(name), form_(form) {}
  void append_to(std::string& out) const;

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  Form form_ = Form::kRoot;
};

/// The path at which most rules begin.
inline constexpr FieldPath kSpec("spec");

}  // namespace davit
