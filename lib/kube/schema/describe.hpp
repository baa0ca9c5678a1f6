/// Descriptions: the texts of descriptions/, found by type and field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/schema/schema.hpp"

namespace davit {

/// Reads the tables when made, in about a millisecond: only documents need them, and nothing stays
/// in memory.
class Descriptions {
 public:
  struct Entry {
    std::string_view type;   ///< "core.v1.PodSpec", or "(kinds)", "(conditions)", "(all)".
    std::string_view field;  ///< Empty: the type itself.
    std::string_view text;   ///< As the table breaks it into lines.
  };

  Descriptions();

  /// "" when the tables have none.
  [[nodiscard]] std::string of(const Message& type) const;
  [[nodiscard]] std::string of(const Message& type, const Field& field) const;

  /// Sorted by type and field.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  [[nodiscard]] std::string find(std::string_view type, std::string_view field) const;

  std::vector<Entry> entries_;
};

}  // namespace davit
