/// The token controller: fills Secrets of type kubernetes.io/service-account-token.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <string>

#include "plugins/serviceaccount/signing_key.hpp"
#include "plugins/serviceaccount/token_keys.hpp"
#include "plugins/serviceaccount/token_plan.hpp"
#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

/// Fills token Secrets, deletes those whose ServiceAccount is gone, and removes references to
/// deleted ones. It creates none. Rule: docs/spec/serviceaccount.md, part C.
class TokensController final : public Controller {
 public:
  /// Reads the configuration and the files that it names. Skipped without a key file.
  [[nodiscard]] static InitResult open(Context& cluster);

  /// `root_ca`: certificates in PEM; empty: Secrets get none.
  TokensController(Context& cluster, SigningKey key, std::string_view root_ca);

 private:
  [[nodiscard]] Result<Again> sync_account(const Key& key) const;
  [[nodiscard]] Result<Again> sync_secret(const Key& key) const;
  [[nodiscard]] Result<Again> sync_deleted(const SecretKey& secret) const;
  [[nodiscard]] Status sync_present(const SecretKey& key, const TokenSecret& secret) const;

  /// The account that the key names, with its UID if there is one.
  [[nodiscard]] Lookup<ServiceAccount> cached_account(const SecretKey& secret) const;
  /// As cached_account(), from the server.
  [[nodiscard]] Result<Lookup<ServiceAccount>> live_account(const SecretKey& secret) const;
  /// Ok: deleted, or no longer the same.
  [[nodiscard]] Status remove_token(const TokenSecret& secret) const;
  /// Ok: filled, or to be left for a later event. An error is to be tried again.
  [[nodiscard]] Status fill(const TokenSecret& cached, const ServiceAccount& account) const;
  [[nodiscard]] Status write(const TokenSecret& live, const ServiceAccount& account,
                             const NeededParts& needed) const;
  /// Tries again for a while after conflicts.
  [[nodiscard]] Status remove_reference(const ServiceAccount& account,
                                        std::string_view secret) const;
  [[nodiscard]] Status remove_reference_once(const Key& account, std::string_view uid,
                                             std::string_view secret) const;

  Context& cluster_;
  const SigningKey key_;
  const std::string root_ca_;  ///< In base64.
  Queue accounts_queue_;
  Queue secrets_queue_;
  Informer<ServiceAccount> accounts_;
  Informer<TokenSecret> secrets_;
};

}  // namespace davit::serviceaccount
