/// The answer to a request for a resourceVersion in the future.
#pragma once

#include <optional>
#include <utility>

#include "sandbox/rest/exchange.hpp"
#include "sandbox/rest/revision_wait.hpp"

namespace davit::sandbox {

/// The same request once more, when the store has come so far or has not in time: nothing happened
/// the first time. `handler` and `parts` must outlive it.
class AwaitedAnswer final : public LateAnswer {
 public:
  AwaitedAnswer(Handler& handler, const RestParts& parts, Request request, Revision awaited)
      : handler_(handler),
        clock_(parts.clock),
        request_(std::move(request)),
        wait_(parts, awaited) {}

  [[nodiscard]] std::optional<Response> take() override {
    if (wait_.goes_on(clock_.now())) return std::nullopt;
    Response response = handler_.handle(request_);
    response.late.reset();
    return response;
  }
  [[nodiscard]] host::Time next_take() const override { return wait_.next_look(); }

 private:
  Handler& handler_;
  const host::Clock& clock_;
  const Request request_;
  RevisionWait wait_;
};

}  // namespace davit::sandbox
