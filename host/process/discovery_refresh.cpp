#include "host/process/discovery_refresh.hpp"

namespace davit::host {

bool DiscoveryRefresh::tick() {
  if (!poll_ && discovery_.has_listeners()) {
    poll_.emplace(discovery_, clock_, log_);
    if (Status s = poll_->start(); !s.ok()) {
      log_.warning("Cannot watch the server's API for changes; retrying", {{"err", s.message()}});
      poll_.reset();
    }
  }
  if (clock_.now() < due_) return false;
  if (!poll_) discovery_.reset();
  due_ = clock_.now() + kPeriod;
  return true;
}

}  // namespace davit::host
