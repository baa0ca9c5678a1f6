/// Responses that may be different after a while.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "lib/net/http_message.hpp"
#include "sandbox/rest/revision_wait.hpp"
#include "sandbox/rest/url_handler.hpp"

namespace davit::sandbox {

/// Receives the code of a response that is final although it would be deferred once more.
using GivenUp = std::function<void(int code)>;

/// The same request once more, when the store has come so far or has not in time: nothing happened
/// the first time. `handler` and `parts` must outlive it.
class ResponseAtRevision final : public HttpDeferredResponse {
 public:
  ResponseAtRevision(UrlHandler& handler, const RestParts& parts, HttpServerRequest request,
                     Url url, Revision awaited, GivenUp given_up)
      : handler_(handler),
        clock_(parts.clock),
        request_(std::move(request)),
        url_(std::move(url)),
        given_up_(std::move(given_up)),
        wait_(parts, awaited) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    if (wait_.is_waiting(clock_.now())) return std::nullopt;
    HttpServerResponse response = handler_.handle(request_, url_);
    if (response.deferred != nullptr) given_up_(response.status);
    response.deferred.reset();
    return response;
  }
  [[nodiscard]] Time next_take() const override { return wait_.next_poll(); }

 private:
  UrlHandler& handler_;
  const Clock& clock_;
  const HttpServerRequest request_;
  const Url url_;
  const GivenUp given_up_;
  RevisionWait wait_;
};

/// Repeats the request until its response is no longer deferred, or the time is up.
/// `handler` and `clock` must outlive it.
class RepeatedRequest final : public HttpDeferredResponse {
 public:
  RepeatedRequest(UrlHandler& handler, const Clock& clock, HttpServerRequest request, Url url,
                  Duration retry_for, GivenUp given_up)
      : handler_(handler),
        clock_(clock),
        request_(std::move(request)),
        url_(std::move(url)),
        given_up_(std::move(given_up)),
        end_(clock.now() + retry_for),
        next_take_(clock.now() + kRetryInterval) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    const Time now = clock_.now();
    if (now < next_take_) return std::nullopt;
    HttpServerResponse response = handler_.handle(request_, url_);
    if (response.deferred != nullptr && now < end_) {
      next_take_ = now + kRetryInterval;
      return std::nullopt;
    }
    if (response.deferred != nullptr) given_up_(response.status);
    response.deferred.reset();
    return response;
  }
  [[nodiscard]] Time next_take() const override { return next_take_; }

 private:
  /// Many times what a controller in the same process needs.
  static constexpr Duration kRetryInterval = std::chrono::milliseconds(50);

  UrlHandler& handler_;
  const Clock& clock_;
  const HttpServerRequest request_;
  const Url url_;
  const GivenUp given_up_;
  const Time end_;
  Time next_take_;
};

}  // namespace davit::sandbox
