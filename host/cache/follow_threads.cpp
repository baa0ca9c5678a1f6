#include "host/cache/follow_threads.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <unordered_set>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kNotes = 0;  // The post for the thread itself. Reflectors count from 1.

}  // namespace

/// One of the threads. Other threads leave notes and wake it. Thread-safe.
class FollowThread {
 public:
  FollowThread(FollowThreads& owner, Clock& clock) : owner_(owner), clock_(clock) {}
  ~FollowThread() { loop_.stop(); }
  FollowThread(const FollowThread&) = delete;
  FollowThread& operator=(const FollowThread&) = delete;

  [[nodiscard]] bool start() {
    return start_thread(thread_, "watches", [this] { run(); });
  }

  /// The reflectors that it drives.
  [[nodiscard]] std::size_t load() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return live_.size();
  }

  [[nodiscard]] std::unique_ptr<FollowThreads::Following> add(Reflector& reflector)
      EXCLUDES(mutex_) {
    std::stop_source stop;
    std::size_t id = 0;
    {
      MutexLock lock(mutex_);
      id = ++last_id_;
      live_.insert(id);
    }
    reflector.join({loop_, id});
    note([&](Notes& notes) { notes.begins.push_back({id, {&reflector, stop.get_token()}}); });
    return std::make_unique<FollowThreads::Following>(*this, id, std::move(stop));
  }

  /// Waits until the thread does not use the reflector any more. Its stop has been requested.
  void end(std::size_t id) EXCLUDES(mutex_) {
    DAVIT_ASSERT(std::this_thread::get_id() != thread_.get_id());  // It would wait for itself.
    note([id](Notes& notes) { notes.ends.push_back(id); });
    MutexLock lock(mutex_);
    while (live_.contains(id)) ended_.wait(mutex_);
  }

  void prepared(std::size_t id, Status status) EXCLUDES(mutex_) {
    note([&](Notes& notes) { notes.prepared.emplace_back(id, std::move(status)); });
  }

 private:
  struct Follower {
    Reflector* reflector;
    std::stop_token stop;
    Time due{};
  };
  struct Notes {
    std::vector<std::pair<std::size_t, Follower>> begins;
    std::vector<std::pair<std::size_t, Status>> prepared;
    std::vector<std::size_t> ends;
  };

  template <typename Write>
  void note(Write write) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      write(notes_);
    }
    loop_.post(kNotes);
  }

  // On the thread:
  void run() EXCLUDES(mutex_);
  void read_notes() EXCLUDES(mutex_);
  void proceed(std::size_t id, Follower& follower);

  FollowThreads& owner_;
  Clock& clock_;
  RequestLoop loop_{RequestLoop::Requests::kMany};
  std::map<std::size_t, Follower> followers_;  // The thread alone.

  Mutex mutex_;
  CondVar ended_;
  Notes notes_ GUARDED_BY(mutex_);
  std::unordered_set<std::size_t> live_ GUARDED_BY(mutex_);  // Those that may be used still.
  std::size_t last_id_ GUARDED_BY(mutex_) = kNotes;
  std::jthread thread_;  // Last: it uses the others.
};

void FollowThread::run() {
  while (!loop_.stopped()) {
    Time due = Time::max();
    for (const auto& [id, follower] : followers_) due = std::min(due, follower.due);
    for (const std::size_t id : loop_.wait(clock_, due, 1)) {
      if (const auto posted = followers_.find(id); posted != followers_.end()) {
        posted->second.due = Time{};
      }
    }
    read_notes();
    const Time now = clock_.now();
    for (auto& [id, follower] : followers_) {
      if (follower.due <= now) proceed(id, follower);
    }
  }
}

void FollowThread::read_notes() {
  Notes notes;
  {
    MutexLock lock(mutex_);
    notes = std::exchange(notes_, {});
  }
  for (auto& [id, follower] : notes.begins) followers_.emplace(id, std::move(follower));
  for (auto& [id, status] : notes.prepared) {
    const auto found = followers_.find(id);
    if (found == followers_.end()) continue;  // It ended before.
    found->second.reflector->prepared(status);
    found->second.due = Time{};
  }
  for (const std::size_t id : notes.ends) {
    const auto found = followers_.find(id);
    proceed(id, found->second);  // Ends its request, which belongs to this thread.
    followers_.erase(found);
  }
  if (notes.ends.empty()) return;
  MutexLock lock(mutex_);
  for (const std::size_t id : notes.ends) live_.erase(id);
  ended_.notify_all();
}

void FollowThread::proceed(std::size_t id, Follower& follower) {
  const Reflector::Progress progress = follower.reflector->proceed(follower.stop);
  follower.due = progress.due;
  if (progress.must_prepare) owner_.prepare({*this, id});
}

FollowThreads::Following::~Following() {
  request_stop();
  thread_.end(id_);
}

FollowThreads::FollowThreads(ListWatch& api, Clock& clock, std::size_t threads_max)
    : api_(api), clock_(clock), threads_max_(threads_max) {}

FollowThreads::~FollowThreads() = default;

Result<std::unique_ptr<FollowThreads::Following>> FollowThreads::follow(Reflector& reflector) {
  FollowThread* chosen = nullptr;
  {
    MutexLock lock(mutex_);
    chosen = choose();
  }
  if (chosen == nullptr) return Status(Code::kUnavailable, "cannot start a thread for watches");
  return chosen->add(reflector);
}

FollowThread* FollowThreads::choose() {
  if (threads_.size() < threads_max_) {
    auto thread = std::make_unique<FollowThread>(*this, clock_);
    if (thread->start()) {
      threads_.push_back(std::move(thread));
      return threads_.back().get();
    }
  }
  FollowThread* least = nullptr;
  std::size_t load = 0;
  for (const std::unique_ptr<FollowThread>& each : threads_) {
    const std::size_t its = each->load();
    if (least != nullptr && its >= load) continue;
    least = each.get();
    load = its;
  }
  return least;
}

void FollowThreads::prepare(Unprepared one) {
  bool is_started = true;
  {
    MutexLock lock(mutex_);
    unprepared_.push_back(one);
    if (is_preparing_) return;
    const auto run = [this](const std::stop_token& stop) { run_preparations(stop); };
    // This waits for the one before, which has left run_preparations() or is about to.
    is_started = start_thread(preparer_, "credentials", run);
    is_preparing_ = is_started;
    if (!is_started) unprepared_.pop_back();
  }
  if (is_started) return;
  one.thread.prepared(one.id, {Code::kUnavailable, "cannot start a thread to fetch credentials"});
}

// One fetch is for all that wait for it, and so is its failure.
void FollowThreads::run_preparations(const std::stop_token& stop) {
  while (true) {
    std::vector<Unprepared> batch;
    {
      MutexLock lock(mutex_);
      is_preparing_ = !unprepared_.empty() && !stop.stop_requested();
      if (!is_preparing_) return;
      batch = std::exchange(unprepared_, {});
    }
    const Status status = api_.prepare(stop);
    for (const Unprepared& each : batch) each.thread.prepared(each.id, status);
  }
}

}  // namespace davit::host
