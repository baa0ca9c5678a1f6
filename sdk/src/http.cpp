#include <davit/http.hpp>

#include "raw_batch.hpp"

namespace davit::http {

Status Response::as_status() const {
  const int status = http_status();
  if (ok()) return {};
  Code code = Code::kInvalid;
  if (status < 400) code = Code::kUnsupported;
  if (status == 401 || status == 403) code = Code::kForbidden;
  if (status == 404) code = Code::kNotFound;
  if (status == 409) code = Code::kConflict;
  if (status == 410) code = Code::kExpired;
  if (status == 429) code = Code::kThrottled;
  if (status >= 500 || status == 408) code = Code::kUnavailable;
  const std::string_view address = url().substr(0, url().find('?'));
  return Status(code, std::string(address) + " responds with " + std::to_string(status),
                ApiDetail{.http_status = status,
                          .reason = {},
                          .causes = {},
                          .retry_after_ms = raw_.retry_after_ms});
}

std::vector<Result<Response>> Client::batch(std::span<const Request> requests) const {
  if (api_->http == nullptr) {
    const Status lacking(Code::kUnsupported, "the host has no davit.http/1");
    return std::vector<Result<Response>>(requests.size(), lacking);
  }
  std::vector<std::vector<davit_http_header>> headers(requests.size());
  std::vector<davit_http_request> raw(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& from = requests[i];
    for (const auto& [name, value] : from.headers) headers[i].push_back({to_c(name), to_c(value)});
    raw[i].size = sizeof(davit_http_request);
    raw[i].effect = static_cast<std::int32_t>(from.effect);
    raw[i].method = to_c(from.method);
    raw[i].url = to_c(from.url);
    raw[i].headers = headers[i].data();
    raw[i].header_count = headers[i].size();
    raw[i].body = to_c(from.body);
    raw[i].retry = static_cast<std::int32_t>(from.retry);
    raw[i].redirects_max = from.redirects_max;
    raw[i].timeout_ms = static_cast<std::uint64_t>(from.timeout.count());
    raw[i].body_bytes_max = from.body_bytes_max;
  }
  std::vector<Result<Response>> results;
  results.reserve(requests.size());
  const auto responses = detail::send_batch<davit_http_response>(
      raw, [this](const auto&... sent) { return api_->http->batch(api_->call(), sent...); });
  for (const davit_http_response& each : responses) {
    if (each.code == DAVIT_OK) {
      results.emplace_back(Response(*api_, each));
    } else {
      std::string message(from_c(each.message));
      if (message.empty()) message = "the request failed with code " + std::to_string(each.code);
      results.emplace_back(Status(from_c(each.code), std::move(message)));
    }
  }
  return results;
}

Request Request::get(std::string url) {
  Request request;
  request.url = std::move(url);
  return request;
}

Request Request::json(std::string_view method, std::string url, std::string body) {
  Request request = get(std::move(url));
  request.method = method;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = std::move(body);
  return request;
}

Request Request::remove(std::string url) {
  Request request = get(std::move(url));
  request.method = "DELETE";
  return request;
}

std::string_view Response::header(std::string_view name) const {
  for (std::size_t i = 0; i < raw_.header_count; ++i) {
    if (from_c(raw_.headers[i].name) == name) return from_c(raw_.headers[i].value);
  }
  return {};
}

Result<Response> Client::send(const Request& request) const {
  return std::move(batch({&request, 1}).front());
}

}  // namespace davit::http
