/// What pods expect to find in every namespace.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sandbox/controllers/controller.hpp"

namespace davit::sandbox {

struct Furniture {
  bool service_account = false;  ///< `default`
  std::string root_ca;           ///< Of the ConfigMap kube-root-ca.crt; empty: none.
};

/// Puts it there, and puts it back.
class NamespaceFurniture final : public Controller {
 public:
  NamespaceFurniture(const ControllerParts& parts, Furniture furniture)
      : parts_(parts),
        furniture_(std::move(furniture)),
        writer_(parts_.server, "namespace-furniture") {}

  void begin_anew(const Collection& collection) override;
  void observe(const Collection& collection, const Change& change) override;
  [[nodiscard]] host::Time act(host::Time now) override;

 private:
  /// False: try again later.
  bool furnish(const std::string& ns);
  bool put_account(const std::string& ns);
  bool put_root_ca(const std::string& ns);

  const ControllerParts parts_;
  const Furniture furniture_;
  ApiWriter writer_;
  std::set<std::string> queue_;
  std::map<std::string, host::Time> retries_;
};

}  // namespace davit::sandbox
