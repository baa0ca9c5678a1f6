#include "host/health/cpu_profile.hpp"

#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "lib/base/interrupted_instruction.hpp"

namespace davit::host {
namespace {

/// 100 samples per second of CPU time, as Go's profiles.
constexpr suseconds_t kPeriodMicroseconds = 10'000;
/// The deepest stack that is kept; deeper ones lose their outermost frames.
constexpr std::size_t kFramesMax = 64;
/// The frames of the handler itself, and of the kernel's return from it.
constexpr std::size_t kHandlerFrames = 8;
/// 8 MiB: five minutes of one CPU with stacks of 32 frames. Samples beyond that are dropped.
constexpr std::size_t kWordsMax = std::size_t{1} << 20U;

using Word = std::uintptr_t;

/// Samples, each as gperftools has it: a count of 1, the number of frames, the frames.
struct Samples {
  std::vector<Word> words = std::vector<Word>(kWordsMax);
  std::atomic<std::size_t> used = 0;  ///< May exceed the size: then samples were dropped.
};

// A process has one timer and one handler, and the kernel hands it nothing of ours: what it needs
// must lie where it finds it.
constinit std::atomic<bool> taken = false;
constinit std::atomic<Samples*> collecting = nullptr;
constinit std::atomic<int> handlers_at_work = 0;

/// The unwinder finds the tables of a frame without a lock (_dl_find_object) and allocates nothing
/// after its first call, so that this is safe in a handler, whatever it interrupts.
void collect(const ucontext_t& context, Samples& out) {
  std::array<void*, kFramesMax + kHandlerFrames> found{};
  const int count = ::backtrace(found.data(), static_cast<int>(found.size()));
  std::span<void*> stack(found.data(), static_cast<std::size_t>(std::max(count, 0)));
  void* const interrupted = interrupted_instruction(context);
  if (const auto at = std::ranges::find(stack, interrupted); at != stack.end()) {
    stack = {at, stack.end()};
    stack = stack.first(std::min(stack.size(), kFramesMax));
  } else {  // The unwinder did not get beyond the handler.
    found[0] = interrupted;
    stack = std::span<void*>(found).first(1);
  }
  const std::size_t at = out.used.fetch_add(stack.size() + 2, std::memory_order_relaxed);
  if (at + stack.size() + 2 > out.words.size()) return;
  Word* word = &out.words[at];
  *word++ = 1;
  *word++ = stack.size();
  for (void* frame : stack) *word++ = reinterpret_cast<Word>(frame);
}

void on_tick(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const int saved = errno;
  // finish() takes the samples away first and waits for this count then.
  handlers_at_work.fetch_add(1);
  if (Samples* samples = collecting.load(); samples != nullptr) {
    collect(*static_cast<const ucontext_t*>(context), *samples);
  }
  handlers_at_work.fetch_sub(1);
  errno = saved;
}

/// An ITIMER_PROF sends its signal to the thread that runs, with every kernel; a timer of
/// timer_create() prefers the main thread before Linux 6.4.
Status set_timer(suseconds_t period) {
  const itimerval timer{.it_interval = {.tv_sec = 0, .tv_usec = period},
                        .it_value = {.tv_sec = 0, .tv_usec = period}};
  if (::setitimer(ITIMER_PROF, &timer, nullptr) == 0) return {};
  return {Code::kUnavailable, std::string("setitimer: ") + std::strerror(errno)};
}

void append(std::span<const Word> words, std::string& out) {
  out.append(reinterpret_cast<const char*>(words.data()), words.size_bytes());
}

/// The samples that are whole: one that did not fit ends them.
std::span<const Word> whole(const Samples& samples) {
  std::size_t end = 0;
  while (end + 2 <= samples.words.size() && samples.words[end] != 0) {
    end += samples.words[end + 1] + 2;
  }
  return std::span(samples.words).first(end);
}

}  // namespace

Result<CpuProfile> CpuProfile::start() {
  if (taken.exchange(true)) return Status(Code::kConflict, "a CPU profile is already being taken");
  std::array<void*, 1> first{};
  (void)::backtrace(first.data(), 1);  // Loads the unwinder, which no handler may do.
  collecting = std::make_unique<Samples>().release();
  struct sigaction action {};
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGPROF, &action, nullptr);
  CpuProfile profile;
  if (Status s = set_timer(kPeriodMicroseconds); !s.ok()) return s;
  return profile;
}

CpuProfile::~CpuProfile() {
  if (running_) (void)finish();
}

std::string CpuProfile::finish() {
  running_ = false;
  (void)set_timer(0);
  const std::unique_ptr<const Samples> samples(collecting.exchange(nullptr));
  while (handlers_at_work.load() != 0) std::this_thread::yield();
  // Format: https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
  std::string out;
  constexpr std::array<Word, 5> kHeader = {0, 3, 0, kPeriodMicroseconds, 0};
  constexpr std::array<Word, 3> kTrailer = {0, 1, 0};
  append(kHeader, out);
  append(whole(*samples), out);
  append(kTrailer, out);
  std::ifstream maps("/proc/self/maps");
  out.append(std::istreambuf_iterator<char>(maps), {});
  taken = false;
  return out;
}

}  // namespace davit::host
