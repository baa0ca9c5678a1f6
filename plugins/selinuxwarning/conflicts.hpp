/// The pods of each volume that can be mounted with an SELinux label, and the conflicts between
/// them. Pure. Rules: docs/spec/cluster-controllers.md, E4 and E5.
#pragma once

#include <compare>
#include <cstdint>
#include <davit/key.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace davit::selinuxwarning {

/// The way in which a pod's volume gets its label: `spec.securityContext.seLinuxChangePolicy`.
enum class ChangePolicy : std::uint8_t { kMountOption, kRecursive };

/// One volume of a pod.
struct Use {
  std::string volume;  ///< Its identity.
  std::string label;   ///< "user:role:type:level"; empty: it is mounted without one.
  ChangePolicy policy = ChangePolicy::kMountOption;
};

/// The property in which two pods differ.
enum class Property : std::uint8_t { kChangePolicy, kLabel };

/// A conflict as `pod` sees it. The other pod has the same with both sides exchanged.
struct Conflict {
  Property property = Property::kLabel;
  Key pod;
  std::string value;
  Key other;
  std::string other_value;

  friend auto operator<=>(const Conflict&, const Conflict&) = default;
  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// "SELinuxLabel" or "SELinuxChangePolicy".
[[nodiscard]] std::string_view name_of(Property property);
/// The reason of the Event.
[[nodiscard]] std::string_view reason_of(Property property);
/// Its text. A pod of another namespace is not named.
[[nodiscard]] std::string message_of(const Conflict& conflict);
/// Whether two labels cannot be on one volume. A user, role or type that one lacks fits any; levels
/// have to be equal.
[[nodiscard]] bool labels_conflict(std::string_view a, std::string_view b);

/// The consequences of a change of a pod's volumes.
struct Changes {
  std::vector<Conflict> to_report;  ///< On volumes that are new or used in another way.
  std::vector<Conflict> begun;      ///< Now there, and not before.
  std::vector<Conflict> ended;
};

/// Keeps the uses of volumes, nothing about conflicts: those of a pod follow from them.
class ConflictLedger {
 public:
  /// Replaces all uses of a pod; none: it is gone, or mounts nothing any more.
  Changes replace(const Key& pod, const std::vector<Use>& uses);

 private:
  /// The way in which a pod uses a volume.
  struct Mount {
    std::string label;
    ChangePolicy policy = ChangePolicy::kMountOption;
    friend bool operator==(const Mount&, const Mount&) = default;
  };
  using Users = std::map<Key, Mount>;

  void remove(const Key& pod);
  /// Those on all volumes of the pod, from both sides.
  [[nodiscard]] std::set<Conflict> conflicts_of(const Key& pod) const;

  std::map<std::string, Users> volumes_;
  std::map<Key, std::vector<std::string>> pods_;  // The volumes of each.
};

}  // namespace davit::selinuxwarning
