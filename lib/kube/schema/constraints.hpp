/// Constraints on the values of the built-in kinds' fields. The validator of custom resources
/// checks them, and OpenAPI shows their enums.
///
/// The table has a line for each type (or several of one content), and below it, further in, lines
/// `field field …: word …` in the order in which upstream checks the fields. The words:
///
///   required        the value must not be empty
///   filled          a value that is there must not be empty
///   judged          an empty value is checked, too; else it is fine
///   optional        an empty value is fine, even behind a pointer
///   immutable       an update may not change it
///   each            the words that follow hold for the elements of the list
///   1..10, 0.., ..9 a number in this range
///   A|B, A|         one of these texts
///   items<=9        so many elements at most
///   fields          the fields of its type are checked here, by their own lines
///   ip, dns-label   the text has this format (lib/kube/validation/formats.hpp)
///   "a text"        what the error of the word before says instead of the usual
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace davit {

/// When a value is checked, and when it is missed.
enum class Presence : std::uint8_t {
  kUnlessEmpty,    ///< An empty value is fine: "", 0, false, [], {} and null.
  kUnlessMissing,  ///< The value behind a pointer is checked, even if empty.
  kFilled,         ///< The same, and what is there must not be empty.
  kRequired,       ///< It must not be empty.
  kAlways,         ///< Checked, also when missing: that counts as "" or 0.
};

/// The words about one field, or about the elements of its list.
struct Constraint {
  Presence presence = Presence::kUnlessEmpty;
  bool fields = false;
  bool immutable = false;
  std::optional<std::int64_t> minimum;
  std::optional<std::int64_t> maximum;
  std::vector<std::string_view> allowed;
  std::optional<std::size_t> items_max;
  std::vector<std::string_view> formats;
  std::string_view required_detail;  ///< Behind "Required value: ".
  std::string_view detail;           ///< For range, choice and items_max; empty: the usual text.
};

/// One field of a type.
struct FieldConstraints {
  std::string_view field;
  Constraint value;
  std::optional<Constraint> elements;
};

/// The constrained fields of "core.v1.PodSpec", in the order of their checks; none for types that
/// the table does not have. Thread-safe; the table is read at the first call. A mistake in the
/// table ends the process.
[[nodiscard]] std::span<const FieldConstraints> constraints_of(std::string_view type);

/// The table's text.
[[nodiscard]] std::string_view constraint_facts();

}  // namespace davit
