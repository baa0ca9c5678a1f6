/// Parses YAML 1.2, and thus JSON, into a tree with the position of every value.
///
/// Stricter than yaml-cpp: duplicate keys, keys that are not scalars, unknown tags, a second
/// document, control characters and invalid UTF-8 are errors; "yes" is not a boolean, and `010` is
/// not an octal number.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// An error in a file, with its line and column (from 1; 0 for the whole file).
struct Mistake {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text;  ///< One line; says what is allowed.

  /// "file:line:column: text"; "file: text" for an error of the whole file.
  [[nodiscard]] std::string str() const;
};

struct YamlMember;

/// A value and everything below it.
struct YamlNode {
  /// The types of YAML's core schema; a quoted scalar is always a string.
  enum class Kind { kNull, kBoolean, kInteger, kFloat, kString, kSequence, kMapping };

  Kind kind = Kind::kNull;
  bool quoted = false;  ///< Scalars: written with quotes, as a block, or tagged !!str.
  int line = 1;         ///< The line on which the value begins, from 1.
  int column = 1;
  std::string text;                 ///< Scalars: exactly what was written; empty for null.
  std::vector<YamlNode> items;      ///< Sequences.
  std::vector<YamlMember> members;  ///< Mappings, in the order of the file; keys are unique.

  /// The value of `key` in a mapping; null if there is none or this is not a mapping. Lives as long
  /// as this node.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;

  [[nodiscard]] bool is_null() const { return kind == Kind::kNull; }
  /// A description for people: "a mapping", "the number 5".
  [[nodiscard]] std::string describe() const;
};

struct YamlMember {
  std::string key;
  int line = 1;
  int column = 1;
  YamlNode value;
};

/// A key that its mapping already has.
struct RepeatedKey {
  int line = 0;
  std::string key;
};

/// A parsed file. If it has mistakes, the tree contains the parts that could be read.
struct YamlDocument {
  YamlNode root;  ///< Null for an empty file.
  std::vector<Mistake> mistakes;
  /// The first 100 of the `mistakes` that are repeated keys. The tree contains the last value of
  /// each.
  std::vector<RepeatedKey> repeated;

  /// The first mistake that is not a repeated key; null if there is none.
  [[nodiscard]] const Mistake* other_mistake() const;
};

/// Parses a text. `file` only appears in the mistakes' text; `first_line` is the number of the
/// text's first line. Deep nesting, and aliases that multiply values or bytes, are mistakes, so the
/// text's size bounds work and memory. JSON text is read as JSON, including its surrogate pairs.
[[nodiscard]] YamlDocument parse_yaml(std::string_view text, const std::string& file,
                                      int first_line = 1);

/// Compact JSON. Integers are decimal; other numbers keep their text if JSON allows it. `.inf`,
/// `.nan`, and integers beyond 64 bits in hex or octal have no JSON form and are kInvalid.
[[nodiscard]] Result<std::string> to_json(const YamlNode& node);

/// The entry of `allowed` that `given` was probably meant to be, or empty.
[[nodiscard]] std::string nearest(std::string_view given, const std::vector<std::string>& allowed);

}  // namespace davit
