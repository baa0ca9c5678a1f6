/// Differences that the comparison ignores, from known_differences.yaml, which gives the reason for
/// each.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/live/oracle/scenario.hpp"

namespace davit::oracle {

class KnownDifferences {
 public:
  /// Those of every server and those listed for `server` ("v1.36"). Ends the program with the place
  /// of a mistake.
  KnownDifferences(const std::string& file, const std::string& server);

  /// Whether member `key` at `path` ("status.conditions.reason"; list indexes are not part of it)
  /// of an object of `kind` does not count in scenarios that compare so much.
  [[nodiscard]] bool leaves_out(std::string_view kind, const std::string& path,
                                const std::string& key, Compare compare) const;
  /// Whether `field` of an object of `kind` may pass through `value` or not.
  [[nodiscard]] bool is_passing(std::string_view kind, const std::string& field,
                                const std::string& value) const;
  /// Whether a condition of this type, status and reason is as good as others of its type.
  [[nodiscard]] bool is_alike(std::string_view kind, const std::string& field,
                              const std::string& value) const;
  /// Whether it depends on timing how often an event of this reason comes to objects of `kind`.
  [[nodiscard]] bool is_uncounted(std::string_view kind, const std::string& reason) const;
  /// Whether events of this reason do not count at all.
  [[nodiscard]] bool is_ignored(const std::string& reason) const;
  /// Whether they do not count for an object of `kind` that was deleted and created again.
  [[nodiscard]] bool is_ignored_of_recreated(std::string_view kind,
                                             const std::string& reason) const;

 private:
  using Texts = std::set<std::tuple<std::string, std::string, std::string>, std::less<>>;

  /// Whether `list` has `text` for objects of `kind`, or for those of all kinds.
  [[nodiscard]] bool has(std::string_view list, std::string_view kind, std::string_view text) const;

  Texts texts_;  ///< List, kind (empty: all), text.
};

}  // namespace davit::oracle
