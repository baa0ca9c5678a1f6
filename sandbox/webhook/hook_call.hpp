/// Requests to webhooks.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/store/store.hpp"
#include "sandbox/webhook/hook_connector.hpp"

namespace davit::sandbox {

/// One request to a webhook.
struct HookRequest {
  HookServer server;
  std::string shown_server;  ///< That of `server` in messages: "https://hooks.ns.svc:443".
  std::string path;          ///< "/validate"; may be empty.
  std::string body;
  std::chrono::seconds timeout{10};
};

/// The response, or the reason why there was none.
struct HookReply {
  int status = 0;
  std::string content_type;
  std::string body;
  std::string error;  ///< In the words of Go's HTTP client; empty: there is a response.
};

/// The server that `config` (a WebhookClientConfig) names by its URL, and the path.
[[nodiscard]] HookRequest request_to_url(const Json& config);

/// The server that a WebhookClientConfig names by its URL or its Service, as far as the sandbox can
/// reach one: its type is ExternalName. `why_not` says why it cannot, else it stays as it is.
/// k8s: ResolveCluster of k8s.io/apiserver/pkg/util/proxy.
[[nodiscard]] HookRequest request_to(const Json& config, const Store& store, std::string& why_not);

/// An error about a request that has no response, in the words of Go's HTTP client.
[[nodiscard]] std::string post_error(const HookRequest& request, const std::string& why);

/// Sends all requests at once and waits for their responses, or for `stop`; reply i belongs to
/// request i. Blocks: call it without any lock.
[[nodiscard]] std::vector<HookReply> call_hooks(HookConnector& connector, Clock& clock,
                                                const std::vector<HookRequest>& requests,
                                                const std::stop_token& stop);

}  // namespace davit::sandbox
