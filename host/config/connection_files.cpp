#include "host/config/connection_files.hpp"

#include <davit/mutant.hpp>

#include "lib/base/file_trust.hpp"

namespace davit::host {

void warn_of_readable_secret(const char* secret, const std::string& file, const Logger& log) {
  if (file.empty() || !is_readable_by_others(file)) return;
  log.warning("Other users can read a secret: run chmod go-r on its file",
              {{"secret", secret}, {"file", file}});
}

Status check_connection_files(const ConnectionConfig& connection, const Logger& log) {
  warn_of_readable_secret("client key", connection.key_file, log);
  warn_of_readable_secret("token", connection.token_file, log);
  for (const std::string& file : connection.files) {
    const Status trust = mutant("kubeconfig-of-others") ? Status() : check_trust(file);
    if (!trust.ok()) return trust.with_context("kubeconfig " + file);
    if (is_readable_by_others(file)) {
      log.warning("Other users can read the kubeconfig and its credentials: run chmod go-r on it",
                  {{"file", file}});
    }
  }
  if (connection.insecure) {
    log.warning(
        "TLS verification is off: anyone on the network path can read and forge requests and "
        "responses",
        {{"server", connection.server}, {"option", "insecure-skip-tls-verify"}});
  }
  return {};
}

}  // namespace davit::host
