/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>

#include "plugins/namespace/namespace_controller.hpp"
#include "plugins/namespace/namespace_view.hpp"

namespace davit::namespaces {

/// Namespaces are read whole: they are few, and the host refuses a PUT of what is read in part.
constexpr void declare(Note& note) {
  note.plugin("namespace", "0.1.0")
      .needs("davit.discovery/1")
      .controller({.name = "namespace-controller",
                   .factory = &NamespaceController::open,
                   .aliases = {"namespace"},
                   .workers = 10})
      .rule<Namespace>({"update"}, {.subresource = "status"})
      .rule<Namespace>({"update"}, {.subresource = "finalize"})
      .rule(kEveryResource, {"get", "list", "delete", "deletecollection"})
      .watch<Namespace>();
}

}  // namespace davit::namespaces
