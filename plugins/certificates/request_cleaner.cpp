#include "plugins/certificates/request_cleaner.hpp"

#include <chrono>

#include "plugins/certificates/clean_pass.hpp"
#include "plugins/certificates/cleanup_plan.hpp"

namespace davit::certificates {
namespace {

constexpr std::chrono::hours kRequestPeriod{1};

}  // namespace

RequestCleaner::RequestCleaner(Context& cluster)
    : cluster_(cluster), requests_(cluster.open_informer<SigningRequest>()) {
  cluster.start_timer({.period = kRequestPeriod}, [this] { clean(); });
}

void RequestCleaner::clean() const {
  const WallTime now = cluster_.wall_now();
  clean_pass(cluster_, requests_,
             {.message = "Error while attempting to clean CSR",
              .judged = Judged::kVersion,
              .logs_missing = true},
             [now](const SigningRequest& each) { return is_stale(each, now); });
}

}  // namespace davit::certificates
