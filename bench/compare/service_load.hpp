/// Services whose pods are replaced in waves, by hand: no other controller takes part.
#pragma once

#include "tests/live/support/control_plane.hpp"

namespace davit::bench {

class ServiceLoad {
 public:
  /// `cluster` must outlive it.
  ServiceLoad(const live::ControlPlane& cluster, int services, int backends)
      : cluster_(cluster), services_(services), backends_(backends) {}

  /// The Services with their pods, all ready.
  void create();
  /// Every Service gets new pods: a quarter is created and becomes ready, a quarter of the old ones
  /// goes, four times.
  void roll();
  /// Whether all Endpoints have just the addresses of the newest pods.
  [[nodiscard]] bool endpoints_follow() const;

 private:
  /// Of every Service the pods from `first` to before `last`.
  void create_pods(int first, int last);
  void delete_pods(int generation, int first, int last);

  const live::ControlPlane& cluster_;
  int services_;
  int backends_;
  int generation_ = 0;
};

}  // namespace davit::bench
