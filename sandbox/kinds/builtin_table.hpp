/// The table of built-in resources: one row a plural, from which builtin_resources() is made.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

struct KindGates;

/// Flags of a row; see Resource for what each means.
enum Trait : std::uint32_t {
  kClusterScoped = 1U << 0U,
  kHasStatus = 1U << 1U,
  kHasGeneration = 1U << 2U,
  kKeepsStatusOnCreate = 1U << 3U,
  kCreateOnUpdate = 1U << 4U,
  kNeedsResourceVersion = 1U << 5U,  ///< A PUT must carry one.
  kGracefulDeletion = 1U << 6U,
  kOrphansByDefault = 1U << 7U,
  kDeleteReturnsObject = 1U << 8U,
  kCreateOnly = 1U << 9U,  ///< A review: nothing is stored.
  kNoDeleteCollection = 1U << 10U,
  kReadOnly = 1U << 11U,  ///< Only get and list.
};

struct ResourceRow {
  std::string_view group = {};  ///< Empty: core.
  std::string_view version;
  std::string_view name;
  std::string_view kind;
  std::string_view short_names = {};  ///< Separated by spaces, as are the next two.
  std::string_view categories = {};
  std::string_view subresources = {};
  std::uint32_t traits = 0;
  NameRule names = NameRule::kSubdomain;
  MakeRules rules = plain_rules;
  /// The group whose collection of that name holds the objects, where it is another one's.
  std::string_view stored_in = {};
  bool KindGates::*gate = nullptr;  ///< The gate without which it is not served, if it has one.
};

[[nodiscard]] constexpr KindFacts facts_of(const ResourceRow& row) {
  return {row.group,
          row.name,
          row.kind,
          row.names,
          (row.traits & kClusterScoped) == 0,
          (row.traits & kHasStatus) != 0,
          (row.traits & kHasGeneration) != 0};
}

/// In the order in which discovery shows them.
[[nodiscard]] std::span<const ResourceRow> resource_rows();
/// Those that a server serves under the gates, in the same order, with rules for the default gates.
[[nodiscard]] std::vector<ResourcePtr> resources_under(const KindGates& gates);

}  // namespace davit::sandbox
