#include "sandbox/server/request_threads.hpp"

#include <algorithm>
#include <chrono>
#include <davit/mutant.hpp>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/start_thread.hpp"
#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {

/// Polled more and more seldom, since a webhook is either fast or takes seconds.
class RequestThreads::Deferred final : public HttpDeferredResponse {
 public:
  Deferred(RequestThreads& threads, Id id, const Clock& clock)
      : threads_(threads), id_(id), clock_(clock), next_take_(clock.now() + pause_) {}
  ~Deferred() override { threads_.drop(id_); }

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    std::optional<HttpServerResponse> out = threads_.take(id_);
    next_take_ = clock_.now() + pause_;
    pause_ = std::min(pause_ * 2, kPauseMax);
    return out;
  }
  [[nodiscard]] Time next_take() const override { return next_take_; }

 private:
  static constexpr Duration kPauseMax = std::chrono::milliseconds(20);

  RequestThreads& threads_;
  const Id id_;
  const Clock& clock_;
  Duration pause_ = std::chrono::milliseconds(1);
  Time next_take_;
};

RequestThreads::~RequestThreads() {
  std::map<Id, std::unique_ptr<Job>> jobs;
  {
    MutexLock lock(mutex_);
    jobs.swap(jobs_);
  }
  for (const auto& [id, job] : jobs) job->thread.request_stop();
  jobs.clear();  // Joins.
}

bool RequestThreads::has_room(const std::vector<std::string>& shares) const {
  if (jobs_.size() >= kRequestsMax) return false;
  const std::size_t left = kRequestsMax - jobs_.size();
  for (const std::string& share : shares) {
    std::size_t running = 0;
    for (const auto& each : jobs_) {
      if (each.second->done && !mutant("ended-requests"))
        continue;  // It waits for its client alone.
      const std::vector<std::string>& own = each.second->shares;
      if (std::find(own.begin(), own.end(), share) != own.end()) ++running;
    }
    if (running * kShareOfLeft >= left && !mutant("thread-share")) return false;
  }
  return true;
}

std::unique_ptr<HttpDeferredResponse> RequestThreads::start(
    Work work, const Clock& clock, const std::vector<std::string>& shares) {
  std::vector<std::unique_ptr<Job>> ended;  // Joined outside the lock.
  Id id = 0;
  {
    MutexLock lock(mutex_);
    for (auto each = jobs_.begin(); each != jobs_.end();) {
      if (each->second->done && each->second->dropped) {
        ended.push_back(std::move(each->second));
        each = jobs_.erase(each);
      } else {
        ++each;
      }
    }
    if (!has_room(shares)) return nullptr;
    id = ++last_;
    auto job = std::make_unique<Job>();
    job->shares = shares;
    const bool started = start_thread(
        job->thread, "webhooks",
        [this, id, work = std::move(work)](const std::stop_token& stop) { run(id, work, stop); });
    if (!started) return nullptr;
    jobs_.emplace(id, std::move(job));
  }
  return std::make_unique<Deferred>(*this, id, clock);
}

namespace {

/// Whatever `work` throws, such as a lack of memory, ends its request alone.
HttpServerResponse carry_out(const RequestThreads::Work& work, const std::stop_token& stop) {
  try {
    return work(stop);
  } catch (const std::exception& thrown) {
    return to_response(internal_error(std::string("the request has failed: ") + thrown.what()));
  } catch (...) {
    return to_response(internal_error("the request has failed: unknown exception"));
  }
}

}  // namespace

void RequestThreads::run(Id id, const Work& work, const std::stop_token& stop) {
  HttpServerResponse response = carry_out(work, stop);
  MutexLock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;  // All are being stopped.
  found->second->response = std::move(response);
  found->second->done = true;
}

std::optional<HttpServerResponse> RequestThreads::take(Id id) {
  MutexLock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return std::exchange(found->second->response, std::nullopt);
}

void RequestThreads::drop(Id id) {
  MutexLock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  found->second->dropped = true;
  found->second->thread.request_stop();
}

HttpServerResponse await_response(HttpServerResponse response, Clock& clock,
                                  const std::stop_token& stop) {
  const std::unique_ptr<HttpDeferredResponse> deferred = std::move(response.deferred);
  Mutex mutex;
  CondVar never;
  while (deferred != nullptr && !stop.stop_requested()) {
    {
      MutexLock lock(mutex);
      clock.wait_until(never, mutex, deferred->next_take());
    }
    if (std::optional<HttpServerResponse> known = deferred->take()) return *std::move(known);
  }
  return response;
}

}  // namespace davit::sandbox
