#include "host/crash/stack_sampler.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "host/run/breadcrumb.hpp"
#include "lib/base/interrupted_instruction.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kFramesMax = 64;
/// A thread that runs replies within a time slice.
constexpr long kReplyNs = 200'000'000;
/// Staged copies are named <digest>-<number>.so; see StagingDirectory.
constexpr std::size_t kCopyDigits = 64;

/// A text that a handler copies: the call that it is of may end. Cut off at its size.
template <std::size_t kSize>
struct Copied {
  std::array<char, kSize> bytes{};
  std::size_t size = 0;

  void take(std::string_view text) {
    size = std::min(text.size(), kSize);
    std::memcpy(bytes.data(), text.data(), size);
  }
  [[nodiscard]] std::string str() const { return {bytes.data(), size}; }
};

/// The result that a handler leaves for the asking thread: a handler gets no argument of ours.
struct Question {
  std::atomic<pid_t> thread{0};  // The sampled thread; a late sample finds another one.
  std::string_view controller;   // Its calls are meant; empty: that of `activity` and `key`.
  std::string_view activity;
  std::string_view key;
  Copied<64> plugin;
  Copied<64> found_activity;
  Copied<512> found_key;
  std::array<void*, kFramesMax> frames{};
  int count = 0;
  void* instruction = nullptr;
  sem_t done{};
};
constinit Question question;

int signal_number() { return SIGRTMIN + 5; }  // Debuggers and glibc use the first ones.

bool is_meant(const Breadcrumb& crumb) {
  if (!question.controller.empty()) return crumb.controller == question.controller;
  return crumb.activity == question.activity && crumb.key == question.key;
}

void on_question(int, siginfo_t*, void* context) {
  const int saved = errno;
  if (question.thread.load(std::memory_order_acquire) != gettid()) return;
  const Breadcrumb* const crumb = current_breadcrumb();
  if (crumb != nullptr && is_meant(*crumb)) {
    question.plugin.take(crumb->plugin);
    question.found_activity.take(crumb->activity);
    question.found_key.take(crumb->key);
    question.instruction = interrupted_instruction(*static_cast<const ucontext_t*>(context));
    // Takes no lock once libgcc is loaded, which the constructor sees to.
    question.count = backtrace(question.frames.data(), kFramesMax);
  }
  sem_post(&question.done);
  errno = saved;
}

std::vector<pid_t> other_threads() {
  std::vector<pid_t> out;
  std::error_code failed;
  for (std::filesystem::directory_iterator each("/proc/self/task", failed), end;
       !failed && each != end; each.increment(failed)) {
    const std::string name = each->path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread != 0 && thread != gettid()) out.push_back(thread);
  }
  return out;
}

bool is_staged_copy(std::string_view library) {
  const std::string_view name = library.substr(library.rfind('/') + 1);
  return name.size() > kCopyDigits && name[kCopyDigits] == '-' && name.ends_with(".so");
}

/// Asks one thread; false when it is in no call that is meant.
bool ask(pid_t thread) {
  question.count = 0;
  // A thread that replied too late may have left its post.
  while (sem_trywait(&question.done) == 0) {
  }
  question.thread.store(thread, std::memory_order_release);
  if (tgkill(getpid(), thread, signal_number()) != 0) return false;
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  constexpr long kSecond = 1'000'000'000;
  until.tv_nsec += kReplyNs;
  until.tv_sec += until.tv_nsec / kSecond;
  until.tv_nsec %= kSecond;
  int waited = 0;
  do {
    waited = sem_clockwait(&question.done, CLOCK_MONOTONIC, &until);
  } while (waited != 0 && errno == EINTR);
  question.thread.store(0, std::memory_order_release);
  return waited == 0 && question.count > 0;
}

/// The frames of the last thread asked that are in a plugin.
std::vector<std::uint64_t> found_stack() {
  std::vector<std::uint64_t> out;
  for (int i = 0; i < question.count; ++i) {
    void* const frame = question.frames.at(static_cast<std::size_t>(i));
    dl_find_object found{};
    if (_dl_find_object(frame, &found) != 0 || !is_staged_copy(found.dlfo_link_map->l_name)) {
      continue;
    }
    const auto offset = reinterpret_cast<std::uint64_t>(frame) - found.dlfo_link_map->l_addr;
    // Callers are found by where the call returns to, which may be the next line.
    out.push_back(frame == question.instruction ? offset : offset - 1);
  }
  return out;
}

}  // namespace

StackSampler::StackSampler() {
  sem_init(&question.done, 0, 0);
  std::array<void*, 1> loaded{};
  (void)backtrace(loaded.data(), 1);
  struct sigaction action {};
  action.sa_sigaction = on_question;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(signal_number(), &action, nullptr);
}

StackSampler::~StackSampler() {
  signal(signal_number(), SIG_IGN);
  sem_destroy(&question.done);
}

std::vector<std::uint64_t> StackSampler::plugin_stack(std::string_view activity,
                                                      std::string_view key) {
  question.controller = {};
  question.activity = activity;
  question.key = key;
  const std::vector<pid_t> threads = other_threads();
  if (std::none_of(threads.begin(), threads.end(), ask)) return {};
  return found_stack();
}

std::vector<SampledCall> StackSampler::calls_of(std::string_view controller) {
  std::vector<SampledCall> out;
  question.controller = controller;
  for (const pid_t thread : other_threads()) {
    if (!ask(thread)) continue;
    out.push_back({question.plugin.str(), question.found_activity.str(), question.found_key.str(),
                   found_stack()});
  }
  question.controller = {};
  return out;
}

}  // namespace davit::host
