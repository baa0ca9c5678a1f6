/// Responses that may be different after a while.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "sandbox/rest/http_message.hpp"
#include "sandbox/rest/revision_wait.hpp"

namespace davit::sandbox {

/// The same request once more, when the store has come so far or has not in time: nothing happened
/// the first time. `handler` and `parts` must outlive it.
class ResponseAtRevision final : public DeferredResponse {
 public:
  ResponseAtRevision(Handler& handler, const RestParts& parts, Request request, Revision awaited)
      : handler_(handler),
        clock_(parts.clock),
        request_(std::move(request)),
        wait_(parts, awaited) {}

  [[nodiscard]] std::optional<Response> take() override {
    if (wait_.goes_on(clock_.now())) return std::nullopt;
    Response response = handler_.handle(request_);
    response.deferred.reset();
    return response;
  }
  [[nodiscard]] host::Time next_take() const override { return wait_.next_look(); }

 private:
  Handler& handler_;
  const host::Clock& clock_;
  const Request request_;
  RevisionWait wait_;
};

/// Repeats the request until its response is no longer deferred, or the time is up.
/// `handler` and `clock` must outlive it.
class RepeatedRequest final : public DeferredResponse {
 public:
  RepeatedRequest(Handler& handler, const host::Clock& clock, Request request,
                  host::Duration patience)
      : handler_(handler),
        clock_(clock),
        request_(std::move(request)),
        end_(clock.now() + patience),
        next_take_(clock.now() + kBetweenTries) {}

  [[nodiscard]] std::optional<Response> take() override {
    const host::Time now = clock_.now();
    if (now < next_take_) return std::nullopt;
    Response response = handler_.handle(request_);
    if (response.deferred != nullptr && now < end_) {
      next_take_ = now + kBetweenTries;
      return std::nullopt;
    }
    response.deferred.reset();
    return response;
  }
  [[nodiscard]] host::Time next_take() const override { return next_take_; }

 private:
  /// Many times what a controller in the same process needs.
  static constexpr host::Duration kBetweenTries = std::chrono::milliseconds(50);

  Handler& handler_;
  const host::Clock& clock_;
  const Request request_;
  const host::Time end_;
  host::Time next_take_;
};

}  // namespace davit::sandbox
