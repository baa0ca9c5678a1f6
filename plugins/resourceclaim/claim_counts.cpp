#include "plugins/resourceclaim/claim_counts.hpp"

namespace davit::resourceclaim {
namespace {

std::string_view text_of(bool value) { return value ? "true" : "false"; }

}  // namespace

ClaimCounts::ClaimCounts(Context& cluster)
    : claims_(cluster.open_metric({.type = MetricType::kGauge,
                                   .name = "resourceclaim_controller_resource_claims",
                                   .help = "Number of ResourceClaims",
                                   .labels = {"allocated", "admin_access", "source"}})),
      creates_(cluster.open_metric({.type = MetricType::kCounter,
                                    .name = "resourceclaim_controller_creates_total",
                                    .help = "Number of ResourceClaim creation requests",
                                    .labels = {"status", "admin_access"}})) {}

ClaimCounts::Labels ClaimCounts::labels_of(const Claim& claim) {
  std::string_view source;
  if (claim.annotation(kExtended) == "true") {
    source = "extended_resource";
  } else if (!claim.annotation(kPodClaimName).value_or("").empty()) {
    source = "resource_claim_template";
  }
  return {text_of(claim.is_allocated()), text_of(claim.has_admin_access()), source};
}

void ClaimCounts::on_claim(const Event<Claim>& event) {
  using Type = Event<Claim>::Type;
  const Labels labels = labels_of(event.current);
  if (event.type == Type::kUpdated) {
    const Labels old = labels_of(*event.old);
    if (old == labels) return;
    add(old, -1);
  }
  add(labels, event.type == Type::kDeleted ? -1 : 1);
}

void ClaimCounts::add(const Labels& labels, std::int64_t change) {
  const std::int64_t count = counts_[labels] += change;
  if (count > 0) {
    claims_.record(static_cast<double>(count), {labels[0], labels[1], labels[2]});
    return;
  }
  counts_.erase(labels);
  claims_.remove({labels[0], labels[1], labels[2]});
}

void ClaimCounts::requested(Value spec, bool is_ok) const {
  creates_.record(1, {is_ok ? "success" : "failure", text_of(Claim::asks_for_admin(spec))});
}

}  // namespace davit::resourceclaim
