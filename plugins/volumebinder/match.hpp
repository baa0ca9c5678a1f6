/// Whether a volume serves a claim. Rule: docs/spec/volumes.md, B5.
#pragma once

#include <davit/kube/selector.hpp>
#include <string>

#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::volumebinder {

/// The reason why a volume that the claim names does not serve it; empty: it does.
[[nodiscard]] std::string why_unsuitable(const volumes::Volume& volume,
                                         const volumes::Claim& claim);

/// Whether a volume that is reserved for the claim serves it. Class, labels and phase do not
/// matter.
[[nodiscard]] bool serves_reserved(const volumes::Volume& volume, const volumes::Claim& claim);

/// Whether a claim may take the volume: it is free, and serves it. `selector` is that of the claim;
/// one of a claim without a selector matches everything.
[[nodiscard]] bool serves_free(const volumes::Volume& volume, const volumes::Claim& claim,
                               const Selector& selector);

}  // namespace davit::volumebinder
