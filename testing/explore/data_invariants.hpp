/// The invariants that keep the data of volumes, and the addresses of Services.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "lib/kube/json.hpp"
#include "sandbox/store/store.hpp"
#include "testing/explore/content.hpp"

namespace davit::explore {

/// Judges each write of a controller by the whole content at that moment, so that no end of a run
/// hides what happened on the way:
/// - a volume of the policy Retain is not deleted;
/// - a claim that a scheduled pod uses keeps the finalizer `kubernetes.io/pvc-protection`;
/// - a volume for one node is not attached to a second one;
/// - two claims do not get one volume, nor one claim two volumes;
/// - two Services do not show one address, unless both have one sharing key.
///
/// Belongs to one thread. Rules: docs/spec/volumes.md, B6, B10 and C3; docs/spec/attachdetach.md,
/// 8; docs/spec/cloud.md, F4.
class DataInvariants {
 public:
  /// Takes in a change. Returns what it breaks, as a sentence; empty: nothing.
  std::string take(const sandbox::Collection& place, const sandbox::Change& change, Writer by);

 private:
  /// Objects by namespace and name.
  using Objects = std::map<std::pair<std::string, std::string>, Json>;

  [[nodiscard]] std::string judge_volume(const Json* before, const Json* after) const;
  [[nodiscard]] std::string judge_claim(const Json* before, const Json* after) const;
  [[nodiscard]] std::string judge_service(const Json& after) const;
  [[nodiscard]] std::string judge_attachment(const Json* before, const Json& after) const;
  /// The name of a pod that keeps the claim; empty: none.
  [[nodiscard]] std::string user_of(const Json& claim) const;
  [[nodiscard]] bool is_for_one_node(const std::string& volume) const;

  std::map<std::string, Objects> objects_;  // The key is a resource.
};

}  // namespace davit::explore
