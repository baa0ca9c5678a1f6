#include "host/health/probe_thread.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {

ProbeThread::~ProbeThread() {
  MutexLock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
}

ProbeThread::Ticket ProbeThread::begin(Call call) {
  MutexLock lock(mutex_);
  return add(std::move(call));
}

ProbeThread::Ticket ProbeThread::join(Call call) {
  MutexLock lock(mutex_);
  expire();
  if (waiting_.empty()) return add(std::move(call));
  ++waiting_.back().holders;
  return waiting_.back().ticket;
}

ProbeThread::Ticket ProbeThread::add(Call call) {
  expire();
  const Ticket ticket{++last_ticket_};
  if (const Status s = queue(ticket, std::move(call)); !s.ok()) known_.emplace(ticket, Known{s});
  return ticket;
}

Status ProbeThread::queue(Ticket ticket, Call call) {
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

std::optional<Result<std::string>> ProbeThread::take(Ticket ticket) {
  MutexLock lock(mutex_);
  return find(ticket);
}

Result<std::string> ProbeThread::await(Ticket ticket, Time deadline) {
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (std::optional<Result<std::string>> result = find(ticket)) return *std::move(result);
      if (clock_.now() >= deadline) break;
      clock_.wait_until(ended_, mutex_, deadline);
    }
  }
  drop(ticket);
  return Status(Code::kUnavailable, "the plugin has not responded yet");
}

std::optional<Result<std::string>> ProbeThread::find(Ticket ticket) {
  expire();
  const auto known = known_.find(ticket);
  if (known == known_.end()) return std::nullopt;
  Result<std::string> result = known->second.result;
  if (--known->second.holders == 0) known_.erase(known);
  return result;
}

void ProbeThread::drop(Ticket ticket) {
  MutexLock lock(mutex_);
  const auto known = known_.find(ticket);
  if (known != known_.end()) {
    if (--known->second.holders == 0) known_.erase(known);
    return;
  }
  if (running_ && running_->ticket == ticket) --running_->holders;
  for (Queued& each : waiting_) {
    if (each.ticket == ticket) --each.holders;
  }
  std::erase_if(waiting_, [](const Queued& each) { return each.holders == 0; });
  if (!is_busy()) ended_.notify_all();
}

bool ProbeThread::wait_idle(Time deadline) {
  MutexLock lock(mutex_);
  while (is_busy()) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(ended_, mutex_, deadline);
  }
  return true;
}

bool ProbeThread::is_late() const { return clock_.now() >= began_ + limit_; }

void ProbeThread::expire() {
  if (!is_busy() || !is_late()) return;
  if (running_ && running_->holders > 0) {
    known_.emplace(running_->ticket, Known{late(), std::exchange(running_->holders, 0)});
  }
  for (const Queued& each : waiting_) known_.emplace(each.ticket, Known{late(), each.holders});
  waiting_.clear();
  ended_.notify_all();
}

Status ProbeThread::late() const {
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - began_);
  return {Code::kUnavailable,
          "the plugin has not responded for " + std::to_string(waited.count()) + " s"};
}

void ProbeThread::work() {
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
    ended_.notify_all();
  }
}

std::shared_ptr<ProbeThread> ProbeThreads::make() {
  MutexLock lock(mutex_);
  // A call with other holders may begin at any time.
  std::erase_if(made_, [](const std::shared_ptr<ProbeThread>& each) {
    return each.use_count() == 1 && each->wait_idle(Time::min());
  });
  made_.push_back(std::make_shared<ProbeThread>(clock_, limit_));
  return made_.back();
}

bool ProbeThreads::wait_idle(Time deadline) {
  MutexLock lock(mutex_);
  return std::all_of(made_.begin(), made_.end(),
                     [deadline](const auto& each) { return each->wait_idle(deadline); });
}

}  // namespace davit::host
