/// The Services that wait for an address. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plugins/pools/claim.hpp"

namespace davit::pools {

/// Claims in groups. The members of a group take any address of the same pools, so if the oldest
/// gets none, the others get none, either: a full pool costs one look, however many wait for it. A
/// claim that asks for certain addresses, or that was set apart, is alone in its group.
class WaitingClaims {
 public:
  /// Replaces what is known of the Service.
  void put(const Claim& claim);
  /// If the Service waits: it may get what the others of its group do not.
  void set_apart(std::string_view uid);
  /// Whether it waited.
  bool erase(std::string_view uid);
  void clear();

  /// The keys are UIDs.
  [[nodiscard]] const std::unordered_map<std::string, Claim>& all() const { return all_; }

  enum class Found : std::uint8_t {
    kAddress,
    kNone,  ///< Nor is there one for the others of its group.
  };
  /// Calls `look` for one claim after the other, the oldest first. Leaves out what cannot have
  /// an address after kNone.
  void each_oldest_first(const std::function<Found(const Claim&)>& look) const;

 private:
  using Group = std::set<std::pair<Age, std::string>>;  // With the UID.

  void join(const std::string& group, const Claim& claim);
  /// Whether it was in the group.
  bool leave(const std::string& group, const Claim& claim);

  std::unordered_map<std::string, Claim> all_;
  std::unordered_map<std::string, Group> groups_;  // The key is what the members want.
};

}  // namespace davit::pools
