#include "host/api/curl_pool.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

// Handles kept for the next requests; one costs some 6 KiB.
constexpr std::size_t kIdleHandlesMax = 4;
// client-go's limit of idle connections per host.
constexpr long kIdleConnectionsMax = 25;
// Woken by notes and sockets; this only bounds a sleep that nothing ends.
constexpr int kPollMs = 60'000;

// Signals belong to the main thread, and SIGPIPE of a closed peer is of no use. Crash signals stay
// unblocked, and SIGPROF, without which no CPU profile shows this thread.
void block_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int wanted : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF}) {
    sigdelset(&signals, wanted);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

/// The caller's end of a transfer.
class CurlPool::Started final : public Call {
 public:
  Started(CurlPool& pool, Id id) : pool_(pool), id_(id) {}
  ~Started() override { pool_.cancel(id_); }
  void resume() override { pool_.resume(id_); }

 private:
  CurlPool& pool_;
  const Id id_;
};

/// A request for which there was no thread: nothing of it was sent.
class CurlPool::Unstarted final : public Call {
 public:
  void resume() override {}
  [[nodiscard]] bool is_sent() const override { return false; }
};

CurlPool::CurlPool(const CurlSettings& settings) : settings_(settings), multi_(curl_multi_init()) {
  DAVIT_ASSERT(multi_ != nullptr);
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kIdleConnectionsMax);
}

CurlPool::~CurlPool() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  curl_multi_wakeup(multi_.get());
  thread_.join();
}

std::unique_ptr<Call> CurlPool::start(HttpRequest request, std::shared_ptr<const TlsMaterial> tls,
                                      ResponseReader& reader) {
  Id id = 0;
  bool wanted = false;
  if (!ensure_thread()) {
    // Like a refused connection: nothing was sent, and callers try again later.
    reader.on_end({Break::kRefused, "cannot start a thread to send it"});
    return std::make_unique<Unstarted>();
  }
  {
    MutexLock lock(mutex_);
    id = ++last_id_;
    live_.insert(id);
    notes_.starts.push_back(
        std::make_unique<CurlTransfer>(id, std::move(request), std::move(tls), reader));
    wanted = must_wake();
  }
  if (wanted) wake();
  return std::make_unique<Started>(*this, id);
}

bool CurlPool::ensure_thread() {
  MutexLock lock(mutex_);
  if (thread_.joinable()) return true;
  return start_thread(thread_, "proxy", [this](const std::stop_token& stop) { run(stop); });
}

void CurlPool::cancel(Id id) {
  bool wanted = false;
  {
    MutexLock lock(mutex_);
    if (live_.count(id) == 0) return;
    DAVIT_ASSERT(std::this_thread::get_id() != thread_.get_id());  // It would wait for itself.
    // A caller that has seen the end may be here before its reader has returned: the thread does
    // the rest.
    if (id != ending_) {
      notes_.cancels.push_back(id);
      wanted = must_wake();
    }
  }
  if (wanted) wake();
  MutexLock lock(mutex_);
  while (live_.count(id) != 0) forgotten_.wait(mutex_);
}

void CurlPool::resume(Id id) {
  bool wanted = false;
  {
    MutexLock lock(mutex_);
    if (live_.count(id) == 0) return;
    notes_.resumes.push_back(id);
    wanted = must_wake();
  }
  if (wanted) wake();
}

void CurlPool::drop_other_certificates(const std::string& cert) {
  bool wanted = false;
  {
    MutexLock lock(mutex_);
    if (!thread_.joinable()) return;
    notes_.only_certificate = cert;
    wanted = must_wake();
  }
  if (wanted) wake();
}

bool CurlPool::must_wake() {
  has_notes_ = true;
  return std::exchange(asleep_, false);
}

void CurlPool::run(const std::stop_token& stop) {
  block_signals();
  while (!stop.stop_requested()) {
    handle(take_notes());
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    collect_finished();
    sleep();
  }
  // Handles must leave the multi handle before it goes.
  while (!transfers_.empty()) retire(transfers_.begin()->first);
}

// A wake-up is a system call here and there: only a thread that sleeps gets one, and only one.
void CurlPool::sleep() {
  {
    MutexLock lock(mutex_);
    if (has_notes_) return;
    asleep_ = true;
  }
  curl_multi_poll(multi_.get(), nullptr, 0, kPollMs, nullptr);
}

CurlPool::Notes CurlPool::take_notes() {
  MutexLock lock(mutex_);
  asleep_ = false;
  has_notes_ = false;
  return std::exchange(notes_, {});
}

void CurlPool::handle(Notes notes) {
  for (std::unique_ptr<CurlTransfer>& transfer : notes.starts) begin(std::move(transfer));
  for (const Id id : notes.cancels) {
    retire(id);
    forget(id);
  }
  for (const Id id : notes.resumes) {
    const auto found = transfers_.find(id);
    if (found != transfers_.end()) curl_easy_pause(found->second->handle(), CURLPAUSE_CONT);
  }
  if (notes.only_certificate.empty()) return;
  std::vector<Id> others;
  for (const auto& [id, transfer] : transfers_) {
    if (transfer->tls().cert != notes.only_certificate) others.push_back(id);
  }
  for (const Id id : others) finish(id, {Break::kReset, "the client certificate was replaced"});
}

void CurlPool::begin(std::unique_ptr<CurlTransfer> transfer) {
  CurlEasy easy;
  if (idle_handles_.empty()) {
    easy.reset(curl_easy_init());
    DAVIT_ASSERT(easy != nullptr);
  } else {
    easy = std::move(idle_handles_.back());
    idle_handles_.pop_back();
  }
  transfer->configure(std::move(easy), settings_);
  curl_multi_add_handle(multi_.get(), transfer->handle());
  const Id id = transfer->id();
  transfers_.emplace(id, std::move(transfer));
}

void CurlPool::collect_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CurlTransfer& transfer = CurlTransfer::of(message->easy_handle);
    finish(transfer.id(), transfer.end_of(message->data.result));
  }
}

void CurlPool::finish(Id id, const TransportEnd& end) {
  ResponseReader& reader = transfers_.at(id)->reader();
  retire(id);
  {
    MutexLock lock(mutex_);
    ending_ = id;
  }
  reader.on_end(end);
  forget(id);
}

// Ends the transfer without a word to its reader; nothing when it is over already.
void CurlPool::retire(Id id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  curl_multi_remove_handle(multi_.get(), found->second->handle());
  if (idle_handles_.size() < kIdleHandlesMax) idle_handles_.push_back(found->second->release());
  transfers_.erase(found);
}

// From here on the reader may be gone.
void CurlPool::forget(Id id) {
  MutexLock lock(mutex_);
  ending_ = 0;
  if (live_.erase(id) != 0) forgotten_.notify_all();
}

}  // namespace davit::host
