/// Pulls the plugins that a manifest names by `source`.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "host/config/manifest.hpp"
#include "host/outbound/outbound_client.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// The means to pull with; the references must outlive the call.
struct PullTerms {
  Clock& clock;
  Logger log;
  std::stop_token stop{};       ///< Ends every request.
  OutboundConnector connect{};  ///< Empty: over sockets.
};

/// The folder of the pulled plugins: the manifest's, else one in the state directory; empty: there
/// is none.
[[nodiscard]] std::string bundle_cache_directory(const Manifest& manifest);

/// Gives each enabled plugin with a source the path of its file in the cache, and pins it to the
/// digest of that file. Pulls what the cache does not have. If a registry does not respond, a tag
/// stands for what it was at the last time. Returns a mistake for each plugin that cannot be had.
/// `file` names the manifest in mistakes. Blocks.
[[nodiscard]] std::vector<Mistake> pull_plugins(Manifest& manifest, const std::string& file,
                                                const PullTerms& terms);

}  // namespace davit::host
