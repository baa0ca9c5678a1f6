/// Requests that a server of an aggregated API answers, streamed from one side to the other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/kube/user_info.hpp"
#include "lib/net/http_message.hpp"
#include "lib/net/transport.hpp"
#include "sandbox/aggregation/backend_connector.hpp"

namespace davit::sandbox {

/// `request` as kube-aggregator sends it on to `server`: without the client's credentials, with the
/// headers X-Remote-User, -Uid, -Group and -Extra, X-Forwarded-Host, -Proto and -Uri.
/// X-Forwarded-For is that of `request`, to which its server has added the client.
/// k8s: SetAuthProxyHeaders of client-go/transport, Transport of apimachinery/pkg/util/proxy.
[[nodiscard]] HttpRequest proxied_request(const HttpServerRequest& request, const UserInfo& who,
                                          const BackendServer& server);

/// Adds the headers that say for whom a request is made.
void add_remote_user(const UserInfo& who, HttpHeaders& headers);

/// Sends `request`; its response is deferred, and its body streamed: at most 1 MiB of it waits for
/// a slow client. Never blocks. `transport` and `clock` must outlive the response. `held` lives as
/// long as the exchange.
[[nodiscard]] HttpServerResponse start_proxied(const std::shared_ptr<Transport>& transport,
                                               HttpRequest request, const Clock& clock,
                                               std::shared_ptr<void> held);

/// Whether a header of a request, in lower case, is for this server alone: credentials, and what
/// says who asks and how the body is framed.
[[nodiscard]] bool is_of_client(std::string_view name);
/// The head of a server's response as the client gets it: without the headers of the connection and
/// those by which a server shares its responses with other origins. Names are in lower case.
[[nodiscard]] HttpServerResponse passed_on(int status, const HttpHeaders& headers);

/// A plain-text error of the aggregator, as http.Error of Go's net/http writes it.
[[nodiscard]] HttpServerResponse proxy_error(int status, std::string text);

}  // namespace davit::sandbox
