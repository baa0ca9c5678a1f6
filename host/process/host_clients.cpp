#include "host/process/host_clients.hpp"

#include <utility>

#include "host/api/connect.hpp"
#include "host/upstream/upstream_clients.hpp"

namespace davit::host {

Result<std::unique_ptr<HostClients>> HostClients::open(const Manifest& manifest,
                                                       const ConnectionConfig& connection,
                                                       const Seams& seams) {
  Connections made;
  if (seams.transport == nullptr) {
    const Logger log = seams.log.named("transport");
    Result<std::unique_ptr<Transport>> own = connect(connection, seams.clock, seams.metrics, log);
    if (!own) return own.error();
    made.own = std::move(*own);
    if (manifest.client.service_account_credentials) {
      Result<std::unique_ptr<Transport>> anonymous =
          connect_anonymously(connection, seams.clock, seams.metrics, log);
      if (!anonymous) return anonymous.error();
      made.anonymous = std::move(*anonymous);
    }
  }
  return std::make_unique<HostClients>(manifest, connection, seams, std::move(made));
}

HostClients::HostClients(const Manifest& manifest, const ConnectionConfig& connection,
                         const Seams& seams, Connections made)
    : manifest_(manifest),
      failure_backoff_(connection.failure_backoff),
      made_(std::move(made)),
      transport_(made_.own != nullptr ? *made_.own : *seams.transport),
      account_client_(transport_, seams.clock, seams.metrics, seams.log,
                      options("service-account-credentials", {.rate = kDiscoveryRate})) {
  if (!manifest_.client.service_account_credentials) return;
  accounts_.emplace(made_.anonymous != nullptr ? *made_.anonymous : transport_, account_client_,
                    dry_run(), seams.log.named("serviceaccounts"));
}

HostClients::Route HostClients::route(const std::string& client) {
  if (!accounts_ || !has_own_account(client)) return {transport_, client};
  return {accounts_->transport(client), account_user(client)};
}

RestOptions HostClients::options(std::string_view agent, RestOptions options) {
  const std::string& own = manifest_.client.user_agent;
  options.user_agent = (own.empty() ? default_user_agent() : own) + "/" + std::string(agent);
  options.field_manager = manifest_.client.field_manager;
  options.failure_backoff = failure_backoff_;
  options.on_success = [this] { contact_.responded(); };
  return options;
}

void HostClients::close_idle() {
  transport_.close_idle();
  if (made_.anonymous != nullptr) made_.anonymous->close_idle();
}

void HostClients::stop() {
  if (accounts_) accounts_->stop();
}

}  // namespace davit::host
