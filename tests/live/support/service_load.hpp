/// Services whose pods are replaced in waves, by hand: no other controller takes part.
#pragma once

#include "host/api/rest_client.hpp"

namespace davit::live {

/// The most addresses that the endpoints controller keeps in Endpoints.
inline constexpr int kEndpointsMax = 1000;

class ServiceLoad {
 public:
  /// `client` must outlive it.
  ServiceLoad(host::RestClient& client, int services, int backends)
      : client_(client), services_(services), backends_(backends) {}

  /// The Services with their pods, all ready, and the node that these are on.
  void create();
  /// Every Service gets new pods: a quarter is created and becomes ready, a quarter of the old ones
  /// goes, four times.
  void roll();
  /// One of the newest pods is no longer ready.
  void make_unready(int service, int pod);
  /// Whether all Endpoints have just the addresses of the newest pods, as many as fit.
  [[nodiscard]] bool endpoints_follow() const;

 private:
  /// The pods from `first` to before `last` of every Service.
  void create_pods(int first, int last);
  /// A number that no other pod has; its address is made of it.
  [[nodiscard]] int number_of(int service, int pod) const;
  void delete_pods(int generation, int first, int last);

  host::RestClient& client_;
  int services_;
  int backends_;
  int generation_ = 0;
};

}  // namespace davit::live
