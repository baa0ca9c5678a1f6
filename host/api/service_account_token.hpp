/// A ServiceAccount's own token, from the TokenRequest API.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/credentials/credentials.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// The namespace of the ServiceAccounts that controllers act as (metav1.NamespaceSystem).
inline constexpr std::string_view kAccountNamespace = "kube-system";

/// Fetches the token at the first request, again when four fifths of its lifetime have passed, and
/// before the first request after a 401 for the present one. Creates the account, and its
/// namespace, where they are missing. The rules are those of docs/spec/host.md, section 6
/// (k8s.io/controller-manager/pkg/clientbuilder, tokenSourceImpl).
///
/// One thread fetches at a time. Others use the current token, or wait for the result, which they
/// share even if it is a failure.
class ServiceAccountToken final : public Credentials {
 public:
  /// The lifetime that is requested; a server may grant another one.
  static constexpr std::chrono::seconds kRequestedLifetime = std::chrono::hours(1);
  /// A shorter lifetime than this means that the clocks of the server and of this machine differ.
  static constexpr Duration kShortestLifetime = std::chrono::minutes(10);
  /// While there is a token, a failed renewal is tried again after this time: each attempt takes
  /// several seconds, and the token still works.
  static constexpr Duration kRenewalPause = std::chrono::seconds(10);

  /// `root` sends the requests as the host itself; it must not have credentials of an account.
  /// References must outlive this. With DryRun::kServer nothing is created. `stop` ends fetches.
  ServiceAccountToken(RestClient& root, std::string account, DryRun dry_run, Logger log,
                      std::stop_token stop);

  [[nodiscard]] Result<Credential> get() override EXCLUDES(mutex_);
  [[nodiscard]] bool is_ready() override EXCLUDES(mutex_);
  void rejected(const Credential& used) override EXCLUDES(mutex_);

 private:
  struct Token {
    std::string authorization;
    BootTime renew_at;  // Also counts the time in which the machine is suspended.
  };

  /// Whether the token serves, at least while another one is fetched.
  [[nodiscard]] bool has_token() const REQUIRES(mutex_);
  /// All attempts to get a token, with pauses between them.
  [[nodiscard]] Result<Token> fetch();
  [[nodiscard]] Status ensure_account();
  [[nodiscard]] Result<Token> request_token();
  [[nodiscard]] ApiResponse send(Verb verb, ResourcePath path, std::string body = {});

  // Fixed after construction.
  RestClient& root_;
  const std::string account_;
  const DryRun dry_run_;
  const Logger log_;
  const std::stop_token stop_;

  Mutex mutex_;
  CondVar fetched_;
  bool fetching_ GUARDED_BY(mutex_) = false;
  std::uint64_t fetches_ GUARDED_BY(mutex_) = 0;  // That have ended.
  Status failure_ GUARDED_BY(mutex_);             // The result of the last one.
  std::optional<Token> token_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
