/// Decides what the garbage collector does about one object. Pure; the rules are those of
/// kubernetes:pkg/controller/garbagecollector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/controllers/object_meta.hpp"

namespace davit::sandbox {

enum class OwnerState : std::uint8_t {
  kPresent,  ///< It is there.
  kWaiting,  ///< It is there and waits until its dependents are gone.
  kAbsent,   ///< There is none of that name, or it has another UID.
  kUnknown,  ///< Its kind is not served, or may not own this object.
};

/// The objects that this one owns, as far as they are known.
struct DependentsState {
  std::size_t count = 0;
  std::size_t blocking = 0;         ///< Dependents whose reference blocks the owner's deletion.
  bool some_delete_theirs = false;  ///< One of them waits for its own dependents.
};

enum class PropagationPolicy : std::uint8_t { kBackground, kForeground, kOrphan };
[[nodiscard]] std::string_view to_text(PropagationPolicy policy);

struct GarbagePlan {
  enum class Step : std::uint8_t {
    kNothing,
    kFreeDependents,    ///< Take the reference to this object out of all that it owns.
    kDropFinalizer,     ///< `finalizer` has done its work.
    kKeepOwners,        ///< Write `owners` as all the references there are.
    kDelete,            ///< With `policy`.
    kUnblockAndDelete,  ///< Write `owners`, none of which blocks, then delete with `policy`.
  } step = Step::kNothing;
  std::string_view finalizer;
  std::vector<OwnerReference> owners;
  PropagationPolicy policy = PropagationPolicy::kBackground;
};

/// `owners` has one state for each of `meta.owners`.
[[nodiscard]] GarbagePlan plan_garbage(const ObjectMeta& meta,
                                       const std::vector<OwnerState>& owners,
                                       const DependentsState& dependents);

}  // namespace davit::sandbox
