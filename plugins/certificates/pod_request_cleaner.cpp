#include "plugins/certificates/pod_request_cleaner.hpp"

#include <chrono>
#include <davit/options.hpp>
#include <memory>

#include "plugins/certificates/clean_pass.hpp"
#include "plugins/certificates/cleanup_plan.hpp"
#include "plugins/shared/gates/read_switch.hpp"

namespace davit::certificates {
namespace {

constexpr std::chrono::minutes kPodRequestPeriod{5};
constexpr std::string_view kPodRequestSwitch = "podCertificateRequest";

}  // namespace

InitResult PodRequestCleaner::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_options(config, {kPodRequestSwitch}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kPodRequestSwitch);
  if (!on) return on.error();
  if (!*on) return cluster.skip("the feature gate PodCertificateRequest is off");
  const Status served = cluster.client().resource_exists(PodCertificateRequest::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return make<PodRequestCleaner>(cluster);
}

PodRequestCleaner::PodRequestCleaner(Context& cluster)
    : cluster_(cluster), requests_(cluster.open_informer<PodCertificateRequest>()) {
  cluster.start_timer({.period = kPodRequestPeriod}, [this] { clean(); });
}

void PodRequestCleaner::clean() const {
  const WallTime now = cluster_.wall_now();
  clean_pass(cluster_, requests_,
             {.message = "Error while attempting to clean PodCertificateRequest"},
             [now](const PodCertificateRequest& each) { return is_old(each, now); });
}

}  // namespace davit::certificates
