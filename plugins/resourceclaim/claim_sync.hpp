/// The end of reservations, allocations and generated claims. Rule: docs/spec/dra.md, A8.
#pragma once

#include <davit/key.hpp>
#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <vector>

#include "plugins/resourceclaim/deleted_consumers.hpp"
#include "plugins/resourceclaim/parts.hpp"

namespace davit::resourceclaim {

/// Invariants:
/// - A consumer is dropped only if its end is known: a watch showed it, the server lacks it or has
///   another object of its name, or a version of the pod that needs no claims any more was seen.
/// - An allocation goes only together with the last consumer, or with a claim that is being deleted
///   and has none.
/// - Each write, a deletion too, is refused unless the claim is the very version that was judged.
class ClaimSync {
 public:
  /// Both must outlive this.
  ClaimSync(const Parts& parts, const DeletedConsumers& deleted)
      : parts_(parts), deleted_(deleted) {}

  /// `key` is that of the claim.
  [[nodiscard]] Result<Again> sync(const Key& key) const;

 private:
  /// The entries of status.reservedFor that stay.
  [[nodiscard]] Result<std::vector<Value>> kept_consumers(const Claim& claim) const;
  [[nodiscard]] Result<bool> has_ended(const Claim& claim, Value consumer) const;
  /// Whether the server has no such object, or another one of its name.
  template <typename View>
  [[nodiscard]] Result<bool> is_gone(const Key& key, std::string_view uid) const;

  [[nodiscard]] Result<Claim> release(const Claim& claim, const std::vector<Value>& kept) const;
  /// The metadata that is left.
  [[nodiscard]] Result<Claim> remove_finalizer(const Claim& claim) const;
  /// Deletes a generated claim whose pod has ended.
  [[nodiscard]] Status delete_if_unused(const Claim& claim) const;

  const Parts& parts_;
  const DeletedConsumers& deleted_;
};

}  // namespace davit::resourceclaim
