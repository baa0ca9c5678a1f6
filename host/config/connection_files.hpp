/// The files that a connection and a server read: other users may not write some of them, and
/// should not read others.
#pragma once

#include <davit/result.hpp>
#include <string>

#include "host/config/connection_config.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Refuses the kubeconfigs of `connection` if another user may write them: they name programs that
/// this process runs, and the server that it believes. Warns if other users can read them, the
/// client's key or its token, and if the server is not verified. kForbidden or kNotFound names the
/// file.
[[nodiscard]] Status check_connection_files(const ConnectionConfig& connection, const Logger& log);

/// Warns if other users can read `file`, unless it is empty. `secret` names it: "serving key".
void warn_of_readable_secret(const char* secret, const std::string& file, const Logger& log);

}  // namespace davit::host
