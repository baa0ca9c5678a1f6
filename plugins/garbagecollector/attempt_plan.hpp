/// Whether an object has to be deleted, and how. Pure;
/// kubernetes:pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem.
#pragma once

#include <cstdint>
#include <davit/client.hpp>
#include <string>
#include <vector>

#include "plugins/garbagecollector/graph.hpp"

namespace davit::garbage {

/// The known state of the owner that a reference names.
enum class Standing : std::uint8_t {
  kSolid,     ///< It is there.
  kWaiting,   ///< It is there, and waits until its dependents are gone.
  kDangling,  ///< It is not there.
};

/// `owner` is what the server has under the reference's name.
[[nodiscard]] Standing standing_of(const Reference& reference, const LiveObject& owner);

struct Attempt {
  enum class Step : std::uint8_t {
    kNothing,
    kDropOwners,        ///< Take the references to `uids` out.
    kDelete,            ///< With `policy`.
    kUnblockAndDelete,  ///< The same, after none of its references blocks any more.
  } step = Step::kNothing;
  std::vector<std::string> uids{};
  Propagation policy = Propagation::kBackground;
};

/// `standings` has one for each of `live.owners`, which are not empty.
[[nodiscard]] Attempt plan_attempt(const LiveObject& live, const std::vector<Standing>& standings,
                                   const DependentsState& dependents);

/// Whether an object that changed between its read and its deletion may be deleted all the same:
/// its owners are those that were read.
[[nodiscard]] bool is_same_but_newer(const LiveObject& read, const LiveObject& now);

}  // namespace davit::garbage
