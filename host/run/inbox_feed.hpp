/// A controller's HandlerInbox as the runner's ChangeFeed.
#pragma once

#include "host/cache/handler_inbox.hpp"
#include "host/run/controller_runner.hpp"

namespace davit::host {

class InboxFeed final : public ChangeFeed {
 public:
  /// `inbox` must outlive this.
  explicit InboxFeed(HandlerInbox& inbox) : inbox_(inbox) {}

  bool wait(std::stop_token stop) override { return inbox_.wait(stop); }
  void deliver() override { inbox_.step(); }
  [[nodiscard]] bool ready() const override { return inbox_.initial_delivered(); }

 private:
  HandlerInbox& inbox_;
};

}  // namespace davit::host
