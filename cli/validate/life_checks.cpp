/// Checks of a plugin's lifecycle: loading, starting, stopping, unloading, swapping.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "cli/validate/check_functions.hpp"
#include "host/loading/loader.hpp"

extern char** environ;

namespace davit::host {
namespace {

/// Often enough for what is counted, kept or forgotten to show.
constexpr int kInitRounds = 5;
constexpr int kSwaps = 5;

constexpr Check kChecks[] = {
    {"load", "opening it, and whether its table has what its note declares", {"elf"}, check_load},
    {"init", "starting and stopping it repeatedly", {"load"}, check_init},
    {"threads", "threads that it leaves behind", {"init"}, check_threads},
    {"traces",
     "signals, environment, directory, locale and umask of the process",
     {"init"},
     check_traces},
    {"unload", "whether its code is unmapped after it is unloaded", {"init"}, check_unload},
    {"work", "ordinary objects: its syncs return, and it becomes idle", {"unload"}, check_work},
    {"rights", "requests and reads outside what it declares", {"work"}, check_rights},
    {"hostile", "objects that no sane client would write", {"work"}, check_hostile},
    {"borrow", "values that it keeps after the call that lent them", {"work"}, check_borrow},
    {"namespaces", "objects of the same name in several namespaces", {"work"}, check_namespaces},
    {"errors", "an API server that fails, refuses and loses its responses", {"work"}, check_errors},
    {"lag", "watches that lag behind the server", {"work"}, check_lag},
    {"leader", "the loss of leadership while it works", {"work"}, check_leader},
    {"provider", "the functions of a provider of a cloud", {"work"}, check_provider},
    {"leaks", "memory, descriptors and retained objects", {"work"}, check_leaks},
    {"swap", "swapping it for itself under load", {"work"}, check_swap},
    {"state", "reading damaged and foreign states", {"swap"}, check_state},
    {"explore",
     "single faults, one by one, for a few seconds",
     {"errors", "leader"},
     check_explore},
};

/// Process-wide state that all plugins share.
struct Traces {
  std::array<sighandler_t, NSIG> handlers{};
  std::string environment;
  std::string directory;
  std::string locale;
  mode_t mask = 0;

  static Traces now() {
    Traces out;
    for (int number = 1; number < NSIG; ++number) {
      struct sigaction action {};
      if (sigaction(number, nullptr, &action) != 0) continue;
      out.handlers.at(static_cast<std::size_t>(number)) = action.sa_handler;
    }
    for (char** each = environ; *each != nullptr; ++each)
      out.environment += *each + std::string("\n");
    std::error_code failed;
    out.directory = std::filesystem::current_path(failed).string();
    out.locale = std::setlocale(LC_ALL, nullptr);
    out.mask = umask(0);
    umask(out.mask);
    return out;
  }
};

/// The number of pthread keys that are left.
std::size_t free_keys() {
  std::vector<pthread_key_t> made;
  pthread_key_t key = 0;
  while (pthread_key_create(&key, nullptr) == 0) made.push_back(key);
  for (const pthread_key_t each : made) pthread_key_delete(each);
  return made.size();
}

/// The end of a copy of this process that calls its exit handlers; empty if well.
std::string end_by_exit() {
  const pid_t copy = fork();
  if (copy == 0) exit(0);
  int status = 0;
  if (copy < 0 || waitpid(copy, &status, 0) != copy || status == 0) return "";
  const ExitStatus how{WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  return how.text();
}

void compare(const Traces& before, const Traces& after, const CheckReporter& reporter) {
  for (int number = 1; number < NSIG; ++number) {
    const auto at = static_cast<std::size_t>(number);
    if (before.handlers.at(at) == after.handlers.at(at)) continue;
    const char* const name = sigabbrev_np(number);
    reporter.fail("changes the handler of SIG" + std::string(name == nullptr ? "?" : name));
  }
  if (before.environment != after.environment) reporter.fail("changes environment variables");
  if (before.directory != after.directory) reporter.fail("changes the working directory");
  if (before.locale != after.locale) reporter.fail("changes the locale");
  if (before.mask != after.mask) reporter.fail("changes the umask");
}

}  // namespace

std::span<const Check> plugin_checks() { return kChecks; }

ThreadNames other_threads() {
  ThreadNames threads;
  std::error_code failed;
  const std::string own = std::to_string(gettid());
  for (std::filesystem::directory_iterator each("/proc/self/task", failed), end;
       !failed && each != end; each.increment(failed)) {
    if (each->path().filename() == own) continue;
    std::ifstream in(each->path() / "comm");
    std::string name;
    if (std::getline(in, name)) threads.emplace(each->path().filename().string(), name);
  }
  return threads;
}

void report_threads(const CheckReporter& reporter, const ThreadNames& known) {
  const auto unknown_threads = [&known] {
    ThreadNames found = other_threads();
    std::erase_if(found, [&known](const auto& each) { return known.contains(each.first); });
    return found;
  };
  // The kernel lists a thread for a moment after it was joined: it has to run once more.
  constexpr std::chrono::milliseconds kLook{20};
  constexpr std::chrono::seconds kMoment{5};
  const auto end_of_moment = std::chrono::steady_clock::now() + kMoment;
  ThreadNames left = unknown_threads();
  while (!left.empty() && std::chrono::steady_clock::now() < end_of_moment) {
    std::this_thread::sleep_for(kLook);
    left = unknown_threads();
  }
  std::map<std::string, int> names;
  for (const auto& each : left) ++names[each.second];
  for (const auto& [name, count] : names) {
    reporter.fail(
        (count == 1 ? "leaves a thread" : "leaves " + std::to_string(count) + " threads") +
        " behind (" + name + "): use queues and timers of the host");
  }
}

std::unique_ptr<TrialHost> started_host(const Subject& subject, const CheckReporter& reporter,
                                        TrialOptions options) {
  options.content = &subject.content;
  auto host = std::make_unique<TrialHost>(options);
  Status status = host->open();
  if (status.ok()) {
    reporter.step("opening it");
    status = host->load(subject.file, subject.scratch);
  }
  if (status.ok()) {
    reporter.step("its InitFuncs");
    status = host->start();
  }
  if (!status.ok()) {
    reporter.fail(status.message());
    return nullptr;
  }
  return host;
}

void end(std::unique_ptr<TrialHost> host, const CheckReporter& reporter) {
  reporter.step("waiting for its calls to end");
  if (!host->stop()) {
    reporter.fail("a call has not returned: " + host->running());
    reporter.leave();
  }
  reporter.step("destroy()");
  host.reset();
}

void wait_until_idle(TrialHost& host, const CheckReporter& reporter) {
  const std::size_t before = host.requests();
  if (host.wait_until_idle(kIdleLimit)) return;
  if (const std::string running = host.stuck(kIdleLimit); !running.empty()) {
    reporter.fail("a call has not returned: " + running);
  } else {
    reporter.fail("does not become idle although nothing changes; it sent " +
                  std::to_string(host.requests() - before) + " requests in that time");
  }
  reporter.leave();
}

void check_load(const Subject& subject, const CheckReporter& reporter) {
  TrialHost host({.content = &subject.content});
  Status status = host.open();
  reporter.step("opening it");
  if (status.ok()) status = host.load(subject.file, subject.scratch);
  if (!status.ok()) reporter.fail(status.message());
}

void check_init(const Subject& subject, const CheckReporter& reporter) {
  for (int round = 1; round <= kInitRounds; ++round) {
    reporter.progress("start " + std::to_string(round) + " of " + std::to_string(kInitRounds));
    std::unique_ptr<TrialHost> host = started_host(subject, reporter);
    if (host && round == 1) {
      for (const std::string& each : host->skipped()) reporter.note(each);
    }
    if (!host) {
      return reporter.fail("this was start " + std::to_string(round) + " of " +
                           std::to_string(kInitRounds));
    }
    wait_until_idle(*host, reporter);
    end(std::move(host), reporter);
  }
}

void check_threads(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  wait_until_idle(*host, reporter);
  end(std::move(host), reporter);
  report_threads(reporter, {});
}

void check_traces(const Subject& subject, const CheckReporter& reporter) {
  const Traces before = Traces::now();
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  wait_until_idle(*host, reporter);
  end(std::move(host), reporter);
  compare(before, Traces::now(), reporter);
  // The first start made what the host itself keeps.
  const std::size_t keys = free_keys();
  host = started_host(subject, reporter);
  if (!host) return;
  wait_until_idle(*host, reporter);
  end(std::move(host), reporter);
  if (const std::size_t now = free_keys(); now < keys) {
    reporter.fail("leaves " + std::to_string(keys - now) + " thread-specific key" +
                  (keys - now == 1 ? "" : "s") +
                  " behind, whose destructors would run after its code has gone: call "
                  "pthread_key_delete() in destroy()");
  }
  reporter.step("exit handlers");
  if (const std::string ended = end_by_exit(); !ended.empty()) {
    reporter.fail("an exit handler that it registered ended the process with " + ended +
                  ", because its code has gone: clean up in destroy()");
  }
}

void check_unload(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  wait_until_idle(*host, reporter);
  const std::filesystem::path opened = host->opened();
  end(std::move(host), reporter);
  const bool stays = is_open_library(opened);
  if (subject.predicted == Grade::kSwappable && stays) {
    reporter.fail("its code stays in memory although nothing in the file predicts it");
  } else if (stays) {
    reporter.note("its code stays in memory, as its grade predicts");
  }
}

void check_swap(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  wait_until_idle(*host, reporter);
  for (int i = 1; i <= kSwaps; ++i) {
    reporter.step("swap " + std::to_string(i));
    reporter.progress("swap " + std::to_string(i) + " of " + std::to_string(kSwaps));
    const SwapReport report = host->swap();
    if (!report.ok()) {
      reporter.fail("swap " + std::to_string(i) + ": " + std::string(to_string(report.outcome)) +
                    ", " + report.text);
      break;
    }
    if (report.keys_dropped > 0) {
      reporter.fail("swap " + std::to_string(i) + " lost " + std::to_string(report.keys_dropped) +
                    " keys: a queue has another name");
    }
    if (subject.predicted == Grade::kSwappable && !report.resident.empty()) {
      reporter.fail("swap " + std::to_string(i) + ": the old build " + report.resident);
    }
    wait_until_idle(*host, reporter);
  }
  end(std::move(host), reporter);
}

}  // namespace davit::host
