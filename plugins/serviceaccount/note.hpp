/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/options.hpp>

#include "plugins/serviceaccount/legacy_token_cleaner.hpp"
#include "plugins/serviceaccount/root_ca_publisher.hpp"
#include "plugins/serviceaccount/service_accounts_controller.hpp"
#include "plugins/serviceaccount/tokens_controller.hpp"
#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

/// The server sends only the Secrets and the ConfigMap that a controller looks at.
constexpr void declare(Note& note) {
  note.plugin("serviceaccount", "0.1.0")
      .controller({.name = "serviceaccount-controller",
                   .factory = &make_without_options<ServiceAccountsController>,
                   .aliases = {"serviceaccount"},
                   .client_name = "service-account-controller"})
      .rule<ServiceAccount>({"create"})
      .watch<Namespace>({"status.phase"})
      .watch<ServiceAccount>({"metadata.name"});
  note.controller({.name = "serviceaccount-token-controller",
                   .factory = &TokensController::open,
                   .aliases = {"serviceaccount-token"},
                   .workers = 5,
                   .client_name = "tokens-controller"})
      .rule<TokenSecret>({"get", "patch", "delete"})
      .rule<ServiceAccount>({"get", "patch"})
      .watch<TokenSecret>({"metadata.annotations['kubernetes.io/service-account.name']",
                           "metadata.annotations['kubernetes.io/service-account.uid']",
                           "data['ca.crt']", "data.namespace", "data.token"},
                          {.field_selector = kTokenSecrets})
      .watch<ServiceAccount>({"metadata.name"});
  note.controller({.name = "root-ca-certificate-publisher-controller",
                   .factory = &RootCaPublisher::open,
                   .aliases = {"root-ca-cert-publisher"},
                   .client_name = "root-ca-cert-publisher"})
      .rule<ConfigMap>({"create", "update"})
      .watch<Namespace>({"status.phase"})
      .watch<ConfigMap>({.field_selector = kRootCaMaps});
  note.controller({.name = "legacy-serviceaccount-token-cleaner-controller",
                   .factory = &LegacyTokenCleaner::open,
                   .aliases = {"legacy-service-account-token-cleaner"},
                   .client_name = "legacy-service-account-token-cleaner"})
      .rule<ConfigMap>({"get"},
                       {.resource_names = {kTrackingMap}, .namespaces = {kTrackingNamespace}})
      .rule<TokenSecret>({"patch", "delete"})
      .rule<Pod>({"list"})
      .watch<TokenSecret>(
          {"metadata.annotations['kubernetes.io/service-account.name']",
           "metadata.annotations['kubernetes.io/service-account.uid']",
           "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.labels"},
          {.field_selector = kTokenSecrets})
      .watch<ServiceAccount>({"secrets[].name"});
}

}  // namespace davit::serviceaccount
