/// Publishes the default ServiceAccount and the root CA in every namespace.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sandbox/controllers/controller.hpp"

namespace davit::sandbox {

/// The default objects of each namespace.
struct NamespaceDefaults {
  bool service_account = false;  ///< `default`
  std::string root_ca;           ///< Content of the ConfigMap kube-root-ca.crt; empty: none.
};

/// Creates them in new namespaces, and again after they were deleted.
class NamespacePublisher final : public Controller {
 public:
  NamespacePublisher(const ControllerParts& parts, NamespaceDefaults defaults)
      : parts_(parts),
        defaults_(std::move(defaults)),
        writer_(parts_.server, parts_.clock, "namespace-publisher") {}

  void on_relist(const Collection& collection) override;
  void observe(const Collection& collection, const Change& change) override;
  [[nodiscard]] Time act(Time now) override;

 private:
  /// False: try again later.
  bool publish(const std::string& ns);
  /// `owner`: the namespace.
  bool put_account(const Version& owner);
  bool put_root_ca(const Version& owner);

  const ControllerParts parts_;
  const NamespaceDefaults defaults_;
  ApiWriter writer_;
  std::set<std::string> queue_;
  std::map<std::string, Time> retries_;
};

}  // namespace davit::sandbox
