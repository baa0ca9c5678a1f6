#include "host/process/host_rights.hpp"

#include <utility>

#include "host/process/rights_review.hpp"

namespace davit::host {

HostRights::HostRights(const Manifest& manifest, const Seams& seams)
    : seams_(seams),
      preflight_({.accounts = manifest.client.service_account_credentials ? Accounts::kOneEach
                                                                          : Accounts::kTheHosts,
                  .election = manifest.leader_election},
                 {.clock = seams_.clock,
                  .controllers = [this] { return controllers(); },
                  .client_of = [this](const std::string& account) { return client_of(account); },
                  .refusals = [this] { return seams_.metrics.refused_requests(); },
                  .report = [this](const RightsPreflight::Missing& missing) { report(missing); }},
                 seams_.log.named("rights")) {}

std::unique_ptr<HostRights> HostRights::start(const Manifest& manifest, const Seams& seams) {
  auto rights = std::make_unique<HostRights>(manifest, seams);
  const Status started = rights->preflight_.start();
  if (started.ok()) return rights;
  seams.log.warning("Rights are not reviewed", {{"err", started.message()}});
  return nullptr;
}

std::vector<DeclaredController> HostRights::controllers() const {
  std::vector<DeclaredController> out;
  for (const std::string& name : seams_.plugins.controllers()) {
    if (const auto guarded = seams_.plugins.guard(name)) out.push_back(guarded->host->declared());
  }
  return out;
}

RestClient* HostRights::client_of(const std::string& account) {
  if (!account.empty() && !seams_.is_leader()) return nullptr;
  std::unique_ptr<RestClient>& client = rest_[account];
  if (client == nullptr) {
    const HostClients::Route route = account.empty()
                                         ? HostClients::Route{seams_.clients.transport(), "rights"}
                                         : seams_.clients.route(account);
    client =
        std::make_unique<RestClient>(route.transport, seams_.clock, seams_.metrics, seams_.log,
                                     seams_.clients.options(route.agent, {.rate = kReviewRate}));
  }
  return client.get();
}

void HostRights::report(const RightsPreflight::Missing& missing) {
  for (const std::string& gone : shown_) {
    if (!missing.contains(gone)) seams_.metrics.missing_rights(gone, 0);
  }
  shown_.clear();
  for (const auto& [controller, rights] : missing) {
    seams_.metrics.missing_rights(controller, rights.size());
    shown_.insert(controller);
  }
  seams_.checks.note("rights", lines_of(missing));
}

}  // namespace davit::host
