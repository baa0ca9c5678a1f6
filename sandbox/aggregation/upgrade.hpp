/// Requests for another protocol, such as those of kubectl exec, to servers of aggregated APIs.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "lib/base/clock.hpp"
#include "lib/kube/user_info.hpp"
#include "lib/net/byte_connection.hpp"
#include "lib/net/http_message.hpp"

namespace davit::sandbox {

/// Whether the client wants to change the protocol. k8s: IsUpgradeRequest of k8s.io/streaming.
[[nodiscard]] bool is_upgrade(const HttpServerRequest& request);

/// `request` as it is sent to `host`, with its headers Connection and Upgrade, without the client's
/// credentials and with X-Remote-User, -Uid, -Group and -Extra. Fails as http1_request() does.
[[nodiscard]] Result<std::string> upgrade_text(const HttpServerRequest& request,
                                               const UserInfo& who, std::string host);

/// The response of the server to which `connection` sends such a request, deferred. If the server
/// changes the protocol, the connection becomes a tunnel to the client, which ends with either
/// side. Any other response has to be complete within a minute, which is 503 otherwise; so is a
/// successful one. `clock` must outlive the response; `held` lives as long as the exchange.
/// k8s: UpgradeAwareHandler of apimachinery/pkg/util/proxy.
[[nodiscard]] HttpServerResponse start_upgrade(std::unique_ptr<ByteConnection> connection,
                                               const Clock& clock, std::shared_ptr<void> held);

}  // namespace davit::sandbox
