/// YAML 1.2 (and so JSON) to a tree of our own with the position of every value.
///
/// Stricter than the library beneath: duplicate keys, keys that are not scalars, unknown tags,
/// a second document, control characters and invalid UTF-8 are mistakes; "yes" and `010` are no
/// booleans and no octal numbers.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// Something wrong in a file, with its place (both from 1; 0 when the whole file is meant).
struct Mistake {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text;  ///< One line that says what is allowed.

  /// "file:line:column: text"; "file: text" for a mistake of the whole file.
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

  /// The value of `key` in a mapping; null when there is none or this is no mapping. Lives as long
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

/// A key that its mapping has already.
struct RepeatedKey {
  int line = 0;
  std::string key;
};

/// A parsed file. With mistakes the tree holds what could be read.
struct YamlDocument {
  YamlNode root;  ///< Null for an empty file.
  std::vector<Mistake> mistakes;
  /// Those of `mistakes` that are repeated keys, the first 100. The last value is in the tree.
  std::vector<RepeatedKey> repeated;

  /// The first one that is no repeated key; null if there is none.
  [[nodiscard]] const Mistake* other_mistake() const;
};

/// `file` is only for the mistakes' text; `first_line` is the number of the text's first line. Deep
/// nesting and aliases that multiply values or bytes are mistakes, so work and memory are bounded
/// by the size of the text. A text that is JSON is read as such, with its pairs of surrogates.
[[nodiscard]] YamlDocument parse_yaml(std::string_view text, const std::string& file,
                                      int first_line = 1);

/// Compact JSON. Integers in decimal, other numbers as written where JSON allows it. `.inf`, `.nan`
/// and integers beyond 64 bits in hex or octal have no JSON form and are kInvalid.
[[nodiscard]] Result<std::string> to_json(const YamlNode& node);

/// The entry of `allowed` that was probably meant by `given`, or empty.
[[nodiscard]] std::string nearest(std::string_view given, const std::vector<std::string>& allowed);

}  // namespace davit
