/// The root CA publisher: gives each namespace the ConfigMap `kube-root-ca.crt`.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <string>

#include "plugins/serviceaccount/publish_plan.hpp"
#include "plugins/serviceaccount/views.hpp"
#include "plugins/shared/pki/sync_metrics.hpp"

namespace davit::serviceaccount {

/// The keys are namespaces. Only ConfigMaps of that name are watched, in whole,
/// because they are written with PUT. Rule: docs/spec/serviceaccount.md, part B.
class RootCaPublisher final : public Controller {
 public:
  /// Reads the configuration and the file that it names.
  [[nodiscard]] static InitResult open(Context& cluster);

  /// `bundle`: certificates in PEM.
  RootCaPublisher(Context& cluster, std::string bundle);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  [[nodiscard]] Status publish(const std::string& ns) const;
  [[nodiscard]] Status create(const std::string& ns) const;

  Context& cluster_;
  const std::string bundle_;
  Queue queue_;
  Informer<Namespace> namespaces_;
  Informer<ConfigMap> maps_;
  pki::SyncMetrics metrics_;
};

}  // namespace davit::serviceaccount
