/// The legacy token cleaner: marks token Secrets that have long been unused, later deletes them.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "plugins/serviceaccount/cleanup_plan.hpp"
#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

inline constexpr std::string_view kTrackingNamespace = "kube-system";
inline constexpr std::string_view kTrackingMap =
    "kube-apiserver-legacy-service-account-token-tracking";

/// Evaluates all tokens once a day, and keeps nothing between two evaluations. Pods are not
/// watched: the few namespaces that have a token to mark or delete are listed then.
/// Rule: docs/spec/serviceaccount.md, part D.
class LegacyTokenCleaner final : public Controller {
 public:
  /// Reads the configuration.
  [[nodiscard]] static InitResult open(Context& cluster);

  LegacyTokenCleaner(Context& cluster, Duration period);

 private:
  /// The Secrets that pods of each namespace refer to, as far as they were asked for.
  using UsedSecrets = std::map<std::string, std::set<std::string>, std::less<>>;

  void evaluate() const;
  /// The day on which the server began to record the use of tokens; nothing: it is not known.
  [[nodiscard]] std::optional<WallTime> tracked_since() const;
  /// False: the evaluation ends, because the host stops.
  [[nodiscard]] bool clean(const TokenSecret& secret, UsedSecrets& used) const;
  [[nodiscard]] Result<bool> is_used(const TokenSecret& secret, UsedSecrets& used) const;
  [[nodiscard]] Status mark(const TokenSecret& secret) const;
  [[nodiscard]] Status remove(const TokenSecret& secret) const;

  Context& cluster_;
  const Duration period_;
  Informer<TokenSecret> secrets_;
  Informer<ServiceAccount> accounts_;
};

}  // namespace davit::serviceaccount
