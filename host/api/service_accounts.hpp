/// The ways to the server as ServiceAccounts, one for each controller's account.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/api/service_account_token.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Accounts of kube-system, as kube-controller-manager uses them with
/// --use-service-account-credentials. Thread-safe.
class ServiceAccounts {
 public:
  /// `anonymous` must not send credentials, see connect_anonymously(): a server that gets a client
  /// certificate ignores the token. `root` requests tokens as the host. References must outlive
  /// this.
  ServiceAccounts(Transport& anonymous, RestClient& root, DryRun dry_run, Logger log)
      : anonymous_(anonymous), root_(root), dry_run_(dry_run), log_(std::move(log)) {}
  ServiceAccounts(const ServiceAccounts&) = delete;
  ServiceAccounts& operator=(const ServiceAccounts&) = delete;

  /// Requests through the result are the account's. Controllers with one account share a token.
  /// Sends nothing yet. The result lives as long as this.
  [[nodiscard]] Transport& transport(const std::string& account) EXCLUDES(mutex_);

  /// From now on no token is fetched or renewed; those at hand remain in use. A request that needs
  /// another one fails.
  void stop() { stop_.request_stop(); }

 private:
  Transport& anonymous_;
  RestClient& root_;
  const DryRun dry_run_;
  const Logger log_;
  std::stop_source stop_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Transport>> transports_ GUARDED_BY(mutex_);
};

/// "system:serviceaccount:kube-system:deployment-controller": the user that an account is, and the
/// end of the user agent of its requests.
[[nodiscard]] std::string account_user(std::string_view account);

}  // namespace davit::host
