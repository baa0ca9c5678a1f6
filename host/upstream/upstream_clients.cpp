#include "host/upstream/upstream_clients.hpp"

namespace davit::host {
namespace {

/// Controllers whose client is not named as the source of their Events.
constexpr std::string_view kClients[][2] = {
    {"daemonset-controller", "daemon-set-controller"},
    {"endpointslice-controller", "endpointslice-controller"},
    {"taint-eviction-controller", "node-controller"},
};

}  // namespace

std::string upstream_client(const DeclaredController& declared) {
  for (const auto& [controller, client] : kClients) {
    if (controller == declared.name) return std::string(client);
  }
  return declared.client_name.empty() ? declared.name : declared.client_name;
}

bool has_own_account(std::string_view client) { return client != "tokens-controller"; }

}  // namespace davit::host
