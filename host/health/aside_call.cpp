#include "host/health/aside_call.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {

AsideCall::~AsideCall() {
  MutexLock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
}

AsideCall::Ticket AsideCall::begin(Call call) {
  MutexLock lock(mutex_);
  return add(std::move(call));
}

AsideCall::Ticket AsideCall::join(Call call) {
  MutexLock lock(mutex_);
  expire();
  if (waiting_.empty()) return add(std::move(call));
  ++waiting_.back().holders;
  return waiting_.back().ticket;
}

AsideCall::Ticket AsideCall::add(Call call) {
  expire();
  const Ticket ticket{++last_ticket_};
  if (const Status s = queue(ticket, std::move(call)); !s.ok()) known_.emplace(ticket, Known{s});
  return ticket;
}

Status AsideCall::queue(Ticket ticket, Call call) {
  if (is_busy() && is_late()) return late();
  if (waiting_.size() >= kWaitingMax) {
    return {Code::kThrottled, "too many requests are waiting for the plugin"};
  }
  if (!thread_.joinable() && !start_thread(thread_, "aside", [this] { work(); })) {
    return {Code::kUnavailable, "cannot start a thread"};
  }
  if (!is_busy()) began_ = clock_.now();
  waiting_.push_back({ticket, std::move(call)});
  changed_.notify_all();
  return {};
}

std::optional<Result<std::string>> AsideCall::take(Ticket ticket) {
  MutexLock lock(mutex_);
  expire();
  const auto known = known_.find(ticket);
  if (known == known_.end()) return std::nullopt;
  Result<std::string> result = known->second.result;
  if (--known->second.holders == 0) known_.erase(known);
  return result;
}

void AsideCall::drop(Ticket ticket) {
  MutexLock lock(mutex_);
  const auto known = known_.find(ticket);
  if (known != known_.end()) {
    if (--known->second.holders == 0) known_.erase(known);
    return;
  }
  if (running_ && running_->ticket == ticket) --running_->holders;
  for (Asked& each : waiting_) {
    if (each.ticket == ticket) --each.holders;
  }
  std::erase_if(waiting_, [](const Asked& each) { return each.holders == 0; });
  if (!is_busy()) ended_.notify_all();
}

bool AsideCall::wait_idle(Time deadline) {
  MutexLock lock(mutex_);
  while (is_busy()) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(ended_, mutex_, deadline);
  }
  return true;
}

bool AsideCall::is_late() const { return clock_.now() >= began_ + limit_; }

void AsideCall::expire() {
  if (!is_busy() || !is_late()) return;
  if (running_ && running_->holders > 0) {
    known_.emplace(running_->ticket, Known{late(), std::exchange(running_->holders, 0)});
  }
  for (const Asked& each : waiting_) known_.emplace(each.ticket, Known{late(), each.holders});
  waiting_.clear();
  if (!is_busy()) ended_.notify_all();
}

Status AsideCall::late() const {
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - began_);
  return {Code::kUnavailable,
          "the plugin has not responded for " + std::to_string(waited.count()) + " s"};
}

void AsideCall::work() {
  for (;;) {
    Call call;
    {
      MutexLock lock(mutex_);
      while (!ending_ && waiting_.empty()) changed_.wait(mutex_);
      if (ending_) return;
      running_ = std::move(waiting_.front());
      waiting_.pop_front();
      call = std::move(running_->call);
    }
    Result<std::string> result = call();
    MutexLock lock(mutex_);
    if (running_->holders > 0) {
      known_.emplace(running_->ticket, Known{std::move(result), running_->holders});
    }
    running_.reset();
    began_ = clock_.now();
    if (!is_busy()) ended_.notify_all();
  }
}

std::shared_ptr<AsideCall> AsideCalls::make() {
  MutexLock lock(mutex_);
  // A call with other holders may begin at any time.
  std::erase_if(made_, [](const std::shared_ptr<AsideCall>& each) {
    return each.use_count() == 1 && each->wait_idle(Time::min());
  });
  made_.push_back(std::make_shared<AsideCall>(clock_, limit_));
  return made_.back();
}

bool AsideCalls::wait_idle(Time deadline) {
  MutexLock lock(mutex_);
  return std::all_of(made_.begin(), made_.end(),
                     [deadline](const auto& each) { return each->wait_idle(deadline); });
}

}  // namespace davit::host
