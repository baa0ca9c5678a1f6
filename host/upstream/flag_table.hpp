/// Every flag of kube-controller-manager v1.36, and what davit does with it: the only source for
/// `davit run`, `davit manifest from-flags` and docs/FLAGS.md. tools/kubernetes_tables makes it
/// from the help of the real binary and from flags.toml.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "host/upstream/controllers.hpp"

namespace davit::host {

/// The treatment of a flag of kube-controller-manager.
enum class FlagUse : std::uint8_t {
  kTaken,     ///< It means what it means there.
  kNoEffect,  ///< Its value is checked; a value other than the default gets a warning.
};

/// The values of a flag.
enum class FlagKind : std::uint8_t { kBoolean, kInteger, kNumber, kDuration, kText, kFile, kList };

/// One flag. All texts live as long as the program.
struct UpstreamFlag {
  std::string_view name;      ///< Without the dashes.
  std::string_view type;      ///< As --help prints it; empty: boolean.
  std::string_view fallback;  ///< Its default as --help prints it, without quotes.
  FlagUse use = FlagUse::kNoEffect;
  /// Taken ones: the path of the manifest's setting, or several with a comma between them; empty if
  /// the manifest has none.
  std::string_view setting = {};
  /// For people: how davit differs, or why the flag has no effect. Without it such a flag belongs
  /// to a controller that davit does not have (FoundFlag::missing()).
  std::string_view note = {};
  double least = std::numeric_limits<double>::lowest();  ///< Integers only.
  double most = std::numeric_limits<double>::max();

  [[nodiscard]] FlagKind kind() const;
};

/// The flags below one heading of --help.
struct FlagGroup {
  std::string_view title;  ///< "Generic flags"
  std::span<const UpstreamFlag> flags;
};

/// All groups, in the order of --help. The last one has flags that v1.36 no longer knows and that
/// older command lines have.
[[nodiscard]] std::span<const FlagGroup> upstream_flag_groups();

/// The title of the group of flags that v1.36 no longer has.
inline constexpr std::string_view kRemovedFlags = "Flags of older versions";

/// A flag and its group.
struct FoundFlag {
  const UpstreamFlag* flag = nullptr;
  const FlagGroup* group = nullptr;

  explicit operator bool() const { return flag != nullptr; }
  /// For a flag without effect: the controller that it belongs to, which davit does not have; null:
  /// there is another reason.
  [[nodiscard]] const UpstreamController* missing() const;
  /// Why the flag has no effect, and what stops because of that: a clause for people.
  [[nodiscard]] std::string reason() const;
  /// The flag and the reason: a line for people.
  [[nodiscard]] std::string warning() const;
};

/// The flag of this name, written with "-" or "_"; nothing if upstream has none.
[[nodiscard]] FoundFlag find_upstream_flag(std::string_view name);

}  // namespace davit::host
