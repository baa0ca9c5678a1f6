/// CompiledMutation: the expressions of a MutatingAdmissionPolicy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/cel/admission.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"
#include "sandbox/policy/policy_frame.hpp"

namespace davit::sandbox {

/// The kind of a mutation's patch.
enum class MutationPatch : std::uint8_t { kApplyConfiguration, kJsonPatch };

/// The outcome of one mutation.
struct MutationOutcome {
  std::string error;    ///< Empty: it is done.
  bool undone = false;  ///< A `test` of a JSON patch did not hold, which changes nothing.
};

/// Immutable and thread-safe.
/// The rules of k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch.
class CompiledMutation {
 public:
  /// `policy`: a stored object, whose expressions need not be right.
  explicit CompiledMutation(const Json& policy);

  [[nodiscard]] const PolicyFrame& frame() const { return frame_; }
  /// reinvocationPolicy IfNeeded.
  [[nodiscard]] bool runs_again() const {
    return frame_.spec.get("reinvocationPolicy").text() == "IfNeeded";
  }
  /// The patches of its mutations, in their order.
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] MutationPatch patch_of(std::size_t index) const { return steps_[index].patch; }

  /// Lets one mutation change `object`, that of `values`. After an error it counts no more.
  /// `schema`: of the object; null: only metadata is known.
  [[nodiscard]] MutationOutcome apply(std::size_t index, const cel::AdmissionValues& values,
                                      const Message* schema, Json& object) const;

 private:
  struct Step {
    MutationPatch patch = MutationPatch::kApplyConfiguration;
    cel::AdmissionExpression expression;
  };

  PolicyFrame frame_;
  std::vector<Step> steps_;
};

}  // namespace davit::sandbox
