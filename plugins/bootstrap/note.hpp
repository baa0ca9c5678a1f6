/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/options.hpp>

#include "plugins/bootstrap/bootstrap_signer.hpp"
#include "plugins/bootstrap/token_cleaner.hpp"
#include "plugins/bootstrap/views.hpp"

namespace davit::bootstrap {

/// The controllers see one namespace of each kind, as upstream's roles allow, and the server sends
/// only bootstrap tokens and the one ConfigMap.
constexpr void declare(Note& note) {
  note.plugin("bootstrap", "0.1.0")
      .needs("davit.informer/2")
      .controller({.name = "bootstrap-signer-controller",
                   .factory = &BootstrapSigner::open,
                   .aliases = {"bootstrapsigner"},
                   .client_name = "bootstrap-signer",
                   .off_by_default = true})
      .rule<ConfigMap>({"patch"}, {.resource_names = {kInfoName}, .namespaces = {kInfoNamespace}})
      .watch<ConfigMap>({"data"}, {.field_selector = kInfoMaps, .namespaces = {kInfoNamespace}})
      .watch<TokenSecret>({"data"},
                          {.field_selector = kTokenSecrets, .namespaces = {kTokenNamespace}});
  note.controller({.name = "token-cleaner-controller",
                   .factory = &TokenCleaner::open,
                   .aliases = {"tokencleaner"},
                   .client_name = "token-cleaner",
                   .off_by_default = true})
      .rule<TokenSecret>({"delete"}, {.namespaces = {kTokenNamespace}})
      .watch<TokenSecret>({"data.expiration"},
                          {.field_selector = kTokenSecrets, .namespaces = {kTokenNamespace}});
}

}  // namespace davit::bootstrap
