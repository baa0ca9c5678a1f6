/// The PodGroup protection controller: a deleted PodGroup stays as long as pods are in it.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>

#include "plugins/resourceclaim/views.hpp"

namespace davit::resourceclaim {

/// Admission adds the finalizer, and this controller only takes it off: from the version of the
/// PodGroup that was seen to be deleted, when no pod of it is left that has not ended.
///
/// Rule: docs/spec/dra.md, part C.
class PodGroupProtection final : public Controller {
 public:
  static constexpr std::string_view kFinalizer = "scheduling.k8s.io/podgroup-protection";

  [[nodiscard]] static InitResult open(Context& cluster);
  explicit PodGroupProtection(Context& cluster);

 private:
  void on_pod(const Event<Pod>& event) const;
  void add_group_of(const Pod& pod) const;
  [[nodiscard]] bool has_active_pods(const PodGroup& group) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  Queue queue_;
  Informer<PodGroup> groups_;
  Informer<Pod> pods_;
};

}  // namespace davit::resourceclaim
