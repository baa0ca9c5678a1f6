#include "cli/dev/stack_sampler.hpp"

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
#include <filesystem>

#include "host/run/breadcrumb.hpp"
#include "lib/base/interrupted_instruction.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kFramesMax = 64;
/// A thread that runs replies within a time slice.
constexpr long kReplyNs = 200'000'000;
/// Staged copies are named <digest>-<number>.so; see StagingDirectory.
constexpr std::size_t kDigestDigits = 64;

/// The result that a handler leaves for the asking thread: a handler gets no argument of ours.
struct Question {
  std::atomic<pid_t> thread{0};  // The sampled thread; a late sample finds another one.
  std::string_view activity;
  std::string_view key;
  std::array<void*, kFramesMax> frames{};
  int count = 0;
  void* instruction = nullptr;
  sem_t done{};
};
constinit Question question;

int signal_number() { return SIGRTMIN + 5; }  // Debuggers and glibc use the first ones.

void on_question(int, siginfo_t*, void* context) {
  const int saved = errno;
  if (question.thread.load(std::memory_order_acquire) != gettid()) return;
  const Breadcrumb* const crumb = current_breadcrumb();
  if (crumb != nullptr && crumb->activity == question.activity && crumb->key == question.key) {
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
  return name.size() > kDigestDigits && name[kDigestDigits] == '-' && name.ends_with(".so");
}

/// Asks one thread; false when it is another one than was looked for.
bool ask(pid_t thread) {
  question.count = 0;
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
  std::vector<std::uint64_t> out;
  question.activity = activity;
  question.key = key;
  const std::vector<pid_t> threads = other_threads();
  if (std::none_of(threads.begin(), threads.end(), ask)) return out;
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

}  // namespace davit::host
