/// The ServiceAccount controller: gives each namespace its ServiceAccount `default`.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

/// The keys are namespaces. A `default` that is there is never changed.
/// Rule: docs/spec/serviceaccount.md, part A.
class ServiceAccountsController final : public Controller {
 public:
  explicit ServiceAccountsController(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  Queue queue_;
  Informer<Namespace> namespaces_;
  Informer<ServiceAccount> accounts_;
};

}  // namespace davit::serviceaccount
