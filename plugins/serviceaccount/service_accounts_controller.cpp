#include "plugins/serviceaccount/service_accounts_controller.hpp"

#include <string>

namespace davit::serviceaccount {
namespace {

constexpr std::string_view kDefault = "default";

}  // namespace

ServiceAccountsController::ServiceAccountsController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "serviceaccount"},
                                [this](const Key& key) { return sync(key); })),
      namespaces_(cluster.open_informer<Namespace>(
          {.added = [this](const Namespace& ns) { queue_.add(ns); },
           .updated = [this](const Namespace&, const Namespace& ns) { queue_.add(ns); }})),
      accounts_(
          cluster.open_informer<ServiceAccount>({.deleted = [this](const ServiceAccount& account) {
            queue_.add({.ns = {}, .name = std::string(account.ns())});
          }})) {}

Result<Again> ServiceAccountsController::sync(const Key& key) const {
  const Lookup<Namespace> ns = namespaces_.get(key);
  if (!ns || !ns->is_active()) return Again::when_changed();
  if (accounts_.get(key.name, kDefault)) return Again::when_changed();
  const Status created = cluster_.client()
                             .create<ServiceAccount>(key.name, R"({"metadata":{"name":"default"}})",
                                                     {.answer = Answer::kMetadata})
                             .error();
  if (created.ok() || created.code() == Code::kAlreadyExists ||
      created.has_cause(kNamespaceTerminating)) {
    return Again::when_changed();
  }
  return created;
}

}  // namespace davit::serviceaccount
