/// /statusz and /flagz: what runs here, and with which flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/process/pages/flags_in_force.hpp"
#include "lib/base/clock.hpp"
#include "lib/net/http_message.hpp"

namespace davit::host {

/// The name by which the pages call this program.
inline constexpr std::string_view kComponentName = "davit";

/// The content of /statusz.
struct StatuszFacts {
  WallTime started{};
  Duration up{0};
  std::vector<std::string> paths = {};  ///< First parts of the paths that are served: "/metrics".
};

/// Both responses depend on the request's header Accept: text without it, JSON or YAML with a type
/// such as "application/json;g=config.k8s.io;v=v1beta1;as=Statusz", and 406 with another one. Pure.
/// Rule: docs/spec/host.md, 8.8. The text has no random delimiters.
[[nodiscard]] HttpServerResponse statusz_response(std::string_view accept,
                                                  const StatuszFacts& facts);
/// `flags` are shown by name.
[[nodiscard]] HttpServerResponse flagz_response(std::string_view accept, const FlagValues& flags);

}  // namespace davit::host
