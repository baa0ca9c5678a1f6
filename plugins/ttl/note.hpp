/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/options.hpp>

#include "plugins/ttl/ttl_controller.hpp"

namespace davit::ttl {

constexpr void declare(Note& note) {
  note.plugin("ttl", "0.1.0")
      .controller({.name = "ttl-controller",
                   .factory = &make_without_options<TtlController>,
                   .aliases = {"ttl"},
                   .workers = 5})
      .rule<Node>({"patch"})
      .watch<Node>({"metadata.annotations['node.alpha.kubernetes.io/ttl']"});
}

}  // namespace davit::ttl
