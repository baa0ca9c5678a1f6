#include "host/transport/request_thread.hpp"

#include <csignal>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

// Signals belong to the main thread. Crash signals stay unblocked, and SIGPROF, without which no
// CPU profile shows this thread.
void block_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int wanted : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF}) {
    sigdelset(&signals, wanted);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

/// The caller's end of a request.
class RequestThread::Started final : public Call {
 public:
  Started(RequestThread& thread, Id id) : thread_(thread), id_(id) {}
  ~Started() override { thread_.end(id_); }
  void resume() override { thread_.resume(id_); }

 private:
  RequestThread& thread_;
  const Id id_;
};

RequestThread::~RequestThread() {
  if (!thread_.joinable()) return;
  loop_.stop();
  thread_.join();
}

std::unique_ptr<Call> RequestThread::start(Begin begin, ResponseReader& reader) {
  Id id = 0;
  {
    MutexLock lock(mutex_);
    if (thread_.joinable() || start_thread(thread_, "requests", [this] { run(); })) {
      id = ++last_id_;
      live_.insert(id);
      notes_.starts.emplace_back(id, std::move(begin));
    }
  }
  if (id == 0) {
    reader.on_end({Break::kRefused, "cannot start a thread to send it"});
    return std::make_unique<EndedCall>();
  }
  loop_.post(0);
  return std::make_unique<Started>(*this, id);
}

void RequestThread::resume(Id id) {
  {
    MutexLock lock(mutex_);
    notes_.resumes.push_back(id);
  }
  loop_.post(0);
}

void RequestThread::end(Id id) {
  {
    MutexLock lock(mutex_);
    DAVIT_ASSERT(std::this_thread::get_id() != thread_.get_id());  // It would wait for itself.
    notes_.ends.push_back(id);
  }
  loop_.post(0);
  MutexLock lock(mutex_);
  while (live_.contains(id)) ended_.wait(mutex_);
}

void RequestThread::run() {
  block_signals();
  while (!loop_.stopped()) {
    Notes notes;
    {
      MutexLock lock(mutex_);
      notes = std::exchange(notes_, {});
    }
    handle(std::move(notes));
    static_cast<void>(loop_.wait(clock_, Time::max(), 1));
  }
}

void RequestThread::handle(Notes notes) {
  for (auto& [id, begin] : notes.starts) calls_.emplace(id, begin(loop_));
  for (const Id id : notes.resumes) {
    if (const auto found = calls_.find(id); found != calls_.end()) found->second->resume();
  }
  for (const Id id : notes.ends) calls_.erase(id);
  if (notes.ends.empty()) return;
  MutexLock lock(mutex_);
  for (const Id id : notes.ends) live_.erase(id);
  ended_.notify_all();
}

}  // namespace davit::host
