/// Requests that a server of an aggregated API answers, streamed from one side to the other.
#pragma once

#include <memory>
#include <string>

#include "lib/base/clock.hpp"
#include "lib/kube/user_info.hpp"
#include "lib/net/http_message.hpp"
#include "lib/net/transport.hpp"

namespace davit::sandbox {

/// `request` as kube-aggregator sends it on: without the client's credentials, with the headers
/// X-Remote-User, -Uid, -Group and -Extra. k8s: SetAuthProxyHeaders of k8s.io/client-go/transport.
[[nodiscard]] HttpRequest proxied_request(const HttpServerRequest& request, const UserInfo& who);

/// Adds the headers that say for whom a request is made.
void add_remote_user(const UserInfo& who, HttpHeaders& headers);

/// Sends `request`; its response is deferred, and its body streamed: at most 1 MiB of it waits for
/// a slow client. Never blocks. `transport` and `clock` must outlive the response. `held` lives as
/// long as the exchange.
[[nodiscard]] HttpServerResponse start_proxied(const std::shared_ptr<Transport>& transport,
                                               HttpRequest request, const Clock& clock,
                                               std::shared_ptr<void> held);

/// A plain-text error of the aggregator, as http.Error of Go's net/http writes it.
[[nodiscard]] HttpServerResponse proxy_error(int status, std::string text);

}  // namespace davit::sandbox
