/// A controller's HandlerInbox as the runner's ChangeFeed.
#pragma once

#include "host/cache/handler_inbox.hpp"
#include "host/run/controller_runner.hpp"

namespace davit::host {

class InboxFeed final : public ChangeFeed {
 public:
  /// `inbox` must outlive this.
  explicit InboxFeed(HandlerInbox& inbox) : inbox_(inbox) {}

  void deliver(std::stop_token stop) override {
    // One change at a time, so that a stop is noticed and ready() is asked soon. The waiting is
    // over when one is there.
    if (inbox_.wait(stop)) inbox_.step();
  }
  [[nodiscard]] bool ready() const override { return inbox_.initial_delivered(); }

 private:
  HandlerInbox& inbox_;
};

}  // namespace davit::host
