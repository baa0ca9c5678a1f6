#include "cli/dev_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/dev/debugger.hpp"
#include "cli/dev/dev_child.hpp"
#include "cli/dev/dev_inputs.hpp"
#include "cli/dev/dev_parts.hpp"
#include "cli/dev/dev_report.hpp"
#include "cli/dev/plugin_build.hpp"
#include "cli/dev/source_watch.hpp"
#include "cli/dev/stuck_call.hpp"
#include "host/loading/staging.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;

/// An editor may save several files at once.
constexpr milliseconds kTogether{30};
constexpr milliseconds kStartLimit{60'000};
constexpr milliseconds kEndLimit{10'000};
/// Short, because a person waits and a host that ends has nothing to hand over.
constexpr milliseconds kHostEndLimit{2'000};

/// SIGINT and SIGTERM as a descriptor.
UniqueFd signals() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGTERM);
  sigprocmask(SIG_BLOCK, &wanted, nullptr);
  for (const int ignored : {SIGPIPE, SIGUSR1, SIGUSR2}) signal(ignored, SIG_IGN);
  return UniqueFd(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// For a tool that runs for a moment only.
class NothingElse final : public ToolObserver {
 public:
  explicit NothingElse(int stop_fd) : stop_fd_(stop_fd) {}
  [[nodiscard]] int stop_fd() const override { return stop_fd_; }
  [[nodiscard]] int busy_fd() const override { return -1; }
  void on_ready() override {}

 private:
  const int stop_fd_;
};

/// Whether the file belongs to the build system, which decides what the plugin is.
bool is_project_file(const std::string& name) {
  return name.ends_with("CMakeLists.txt") || name.ends_with(".cmake");
}

class Development final : private ToolObserver {
 public:
  Development(const DevOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err), build_(options), inputs_(options) {}

  int run() {
    if (const Status usage = check(); !usage.ok()) return fail(usage.message(), kExitMistakes);
    std::vector<std::filesystem::path> left_out = inputs_.paths();
    left_out.push_back(build_.directory());
    left_out.push_back(build_.source() / "build");
    Result<SourceWatch> watch = SourceWatch::open(build_.source(), std::move(left_out));
    if (!watch) return fail(watch.error().message(), kExitFailed);
    if (const Status s = inputs_.watch(); !s.ok()) return fail(s.message(), kExitFailed);
    say("==> building " + build_.source().string());
    const Outcome built = build_.begin(*this);
    if (built.what == Outcome::What::kStopped) return kExitGood;
    if (built.what == Outcome::What::kNoTool) return fail(built.lines.front(), kExitFailed);
    report_build(built);
    if (const Status cluster = open_cluster(); !cluster.ok()) {
      return fail(cluster.message(), kExitFailed);
    }
    if (built.works()) start_host(std::nullopt);
    const int code = loop(*watch);
    end_host();
    if (sandbox_) static_cast<void>(sandbox_->end(kEndLimit));
    if (code == kExitGood) say("==> ended");
    return code;
  }

 private:
  using Outcome = PluginBuild::Outcome;

  /// Checks the user's input.
  Status check() {
    std::error_code failed;
    const std::filesystem::path& source = build_.source();
    if (!std::filesystem::exists(source, failed)) {
      return {Code::kNotFound, "there is no folder " + source.string()};
    }
    if (!std::filesystem::is_directory(source, failed)) {
      return {Code::kInvalid,
              source.string() + " is not a folder; name the one with the plugin's CMakeLists.txt"};
    }
    if (!std::filesystem::exists(source / "CMakeLists.txt", failed)) {
      return {Code::kNotFound, "there is no CMakeLists.txt in " + source.string() +
                                   "; davit plugin new NAME creates a project"};
    }
    if (!options_.kubeconfig.empty()) {
      if (!inputs_.content().empty()) {
        return {Code::kInvalid,
                "--crd and --objects fill the sandbox, which --kubeconfig replaces: apply them to "
                "that cluster with kubectl"};
      }
      if (Status s = check_kubeconfig(options_.kubeconfig); !s.ok()) return s;
    }
    if (Status s = inputs_.read(); !s.ok()) return s;
    std::filesystem::create_directories(build_.directory(), failed);
    lock_ = UniqueFd(
        open((build_.directory() / "davit-dev.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_.valid()) return {Code::kForbidden, "cannot write to " + build_.directory().string()};
    if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
    return {Code::kInvalid, "another davit dev builds in " + build_.directory().string() +
                                "; stop it, or choose another folder with --build-dir"};
  }

  void say(const std::string& text) { out_ << text << "\n" << std::flush; }
  void say(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) say(line);
  }
  int fail(const std::string& text, int code) {
    err_ << "davit: " << text << "\n";
    return code;
  }

  Status open_cluster() {
    kubeconfig_ = options_.kubeconfig;
    if (!kubeconfig_.empty()) return {};
    kubeconfig_ = (build_.directory() / "sandbox.kubeconfig").string();
    sandbox_ = DevChild::start([this](LineReader& orders, const LineWriter& reports) {
      play_sandbox(kubeconfig_, inputs_.content(), orders, reports);
    });
    if (!sandbox_) return {Code::kUnavailable, "cannot start a process"};
    for (;;) {
      const std::vector<std::string> reports = sandbox_->take(kStartLimit);
      if (reports.empty()) return {Code::kUnavailable, "the sandbox did not start"};
      for (const std::string& line : reports) {
        if (line.starts_with("failed")) return {Code::kUnavailable, "sandbox: " + line};
        if (!line.starts_with("ready")) {
          follow_sandbox(line);
          continue;
        }
        say("==> sandbox started: export KUBECONFIG=" + kubeconfig_);
        return {};
      }
    }
  }

  /// A report on the sandbox's content.
  void follow_sandbox(std::string_view line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string text(line.substr(std::min(space + 1, line.size())));
    if (line.starts_with("mistake")) say("    error: " + text);
    if (line.starts_with("content")) {
      say("==> the sandbox has " + text + (text == "1" ? " object" : " objects") +
          " of --crd and --objects");
    }
  }

  /// Files beside the source were saved.
  void on_input() {
    DevInputs::Saved saved = inputs_.take();
    static_cast<void>(poll(nullptr, 0, static_cast<int>(kTogether.count())));
    const DevInputs::Saved later = inputs_.take();
    if (!later.config.empty()) saved.config = later.config;
    if (!later.content.empty()) saved.content = later.content;
    if (!saved.content.empty() && sandbox_) {
      say("==> " + saved.content + " saved");
      sandbox_->order("apply");
    }
    if (saved.config.empty()) return;
    say("==> " + saved.config + " saved");
    if (const Status s = inputs_.read_configs(); !s.ok()) {
      return say("    error: " + std::string(s.message()) + "; the old configuration stays");
    }
    if (host_) return restart("the configuration has changed", std::nullopt);
    if (!build_.plugin().empty()) start_host(std::nullopt);
  }

  void report_build(const Outcome& built) {
    say(built.lines);
    if (built.works()) {
      const double seconds = std::chrono::duration<double>(built.time).count();
      char text[64];
      (void)std::snprintf(text, sizeof(text), "==> built in %.2f s", seconds);
      return say(std::string(text));
    }
    say(host_ ? "==> build failed: the old build keeps serving"
              : "==> build failed: save a change to try again");
  }

  void start_host(const std::optional<DevReport::Saved>& saved) {
    const std::filesystem::path plugin = build_.plugin();
    stuck_.clear();
    phase_ = Phase::kStarting;
    keep_symbols(kServing);
    host_ = DevChild::start([&](LineReader& orders, const LineWriter& reports) {
      // The host's copies go there, since a host that is killed cannot remove them.
      if (staging_) setenv("XDG_RUNTIME_DIR", staging_->path().c_str(), 1);
      play_host(plugin, kubeconfig_, inputs_.configs(), orders, reports);
    });
    report_.starts(saved);
    if (!host_) say("==> cannot start a process: save a change to try again");
  }

  void end_host() {
    if (!host_) return;
    say(report_.summary());
    static_cast<void>(host_->end(stuck_.empty() ? kHostEndLimit : milliseconds(0)));
    host_.reset();
  }

  void restart(const std::string& why, const std::optional<DevReport::Saved>& saved) {
    say("==> restarting the host, because " + why);
    end_host();
    start_host(saved);
  }

  /// A copy of what was built, for its symbols: the next build overwrites the file.
  void keep_symbols(const char* name) {
    std::error_code failed;
    if (!staging_) return;
    std::filesystem::copy_file(build_.plugin(), staging_->path() / name,
                               std::filesystem::copy_options::overwrite_existing, failed);
  }

  /// A call does not end: says where it is. A build that waits for its end gets a new host.
  void on_stuck(std::string_view report) {
    const StuckCall call = StuckCall::parse(report);
    stuck_.insert(call.activity + " " + call.key);
    std::vector<std::string> named;
    if (staging_ && !call.stack.empty()) {
      NothingElse observer(signals_.get());
      const ToolRun run = run_tool(line_command(staging_->path() / kServing, call.stack), observer);
      if (run.end == ToolRun::End::kDone && run.code == 0) named = run.lines;
    }
    say(describe(call, named, build_.source()));
  }

  /// Derives the host's state from its reports.
  void follow(std::string_view line) {
    if (line.starts_with("ready")) phase_ = Phase::kServing;
    if (line.starts_with("swapped")) {
      phase_ = Phase::kServing;
      std::error_code failed;
      if (staging_) {
        std::filesystem::rename(staging_->path() / kNext, staging_->path() / kServing, failed);
      }
    }
    if (line.starts_with("refused")) phase_ = Phase::kRefused;
    if (!line.starts_with("sync ")) return;
    // "sync NS GENERATION KEY": it has ended.
    for (int word = 0; word < 3; ++word) static_cast<void>(take_until(line, " "));
    for (const char* activity : {"sync ", "timer "}) stuck_.erase(activity + std::string(line));
  }

  /// Waits for whatever comes next, until a signal does.
  int loop(SourceWatch& watch) {
    for (;;) {
      std::vector<pollfd> ready{{signals_.get(), POLLIN, 0},
                                {watch.fd(), POLLIN, 0},
                                {busy_fd(), POLLIN, 0},
                                {sandbox_ ? sandbox_->fd() : -1, POLLIN, 0}};
      const std::size_t own = ready.size();
      for (const int fd : inputs_.fds()) ready.push_back({fd, POLLIN, 0});
      if (poll(ready.data(), ready.size(), wait()) < 0) continue;
      say(report_.counted(clock_->now()));
      if (ready[0].revents != 0) return kExitGood;
      if (ready[3].revents != 0) {
        for (const std::string& line : sandbox_->take(milliseconds(0))) follow_sandbox(line);
        if (sandbox_->ended()) return fail("the sandbox has exited", kExitFailed);
      }
      if (ready[2].revents != 0) on_ready();
      const bool input = std::any_of(ready.begin() + static_cast<std::ptrdiff_t>(own), ready.end(),
                                     [](const pollfd& each) { return each.revents != 0; });
      if (input) on_input();
      if (ready[1].revents != 0 && !rebuild(watch)) return kExitGood;
    }
  }

  /// Until something has to be said of its own accord; in milliseconds, -1: never.
  [[nodiscard]] int wait() const {
    const std::optional<Time> due = report_.due();
    if (!due) return -1;
    const auto left = std::chrono::ceil<milliseconds>(*due - clock_->now());
    return static_cast<int>(std::max(left, milliseconds(0)).count());
  }

  /// False: a signal came.
  bool rebuild(SourceWatch& watch) {
    const Time saved = clock_->now();
    std::vector<std::string> files = watch.take();
    pollfd more{watch.fd(), POLLIN, 0};
    while (!files.empty() && poll(&more, 1, static_cast<int>(kTogether.count())) > 0) {
      for (std::string& each : watch.take()) files.push_back(std::move(each));
    }
    if (files.empty()) return true;
    // A file that is already gone was an intermediate file of an editor.
    const auto lasting = std::find_if(files.begin(), files.end(), [this](const std::string& each) {
      std::error_code failed;
      return std::filesystem::exists(build_.source() / each, failed);
    });
    say("==> " + (lasting == files.end() ? files.front() : *lasting) + " saved");
    const bool project = std::any_of(files.begin(), files.end(), is_project_file);
    const Outcome built = project ? build_.begin(*this) : build_.again(*this);
    if (built.what == Outcome::What::kStopped) return false;
    const bool serves = host_ && stuck_.empty() && phase_ != Phase::kRefused;
    if (built.what == Outcome::What::kUnchanged && serves) {
      say("==> the plugin has not changed");
      return true;
    }
    report_build(built);
    if (built.works()) apply_build({saved, built.time});
    return true;
  }

  void apply_build(const DevReport::Saved& saved) {
    if (!host_) return start_host(saved);
    // A swap would wait for the end of what does not end.
    if (!stuck_.empty()) return restart(overdue_call(), saved);
    if (phase_ == Phase::kStarting) return restart("the old one has not started yet", saved);
    say(report_.summary());
    phase_ = Phase::kSwapping;
    keep_symbols(kNext);
    report_.swaps(saved);
    last_ = saved;
    host_->order("swap");
  }

  [[nodiscard]] int stop_fd() const override { return signals_.get(); }
  [[nodiscard]] int busy_fd() const override { return host_ ? host_->fd() : -1; }

  /// Hears the host.
  void on_ready() override {
    std::string restart_because;
    for (const std::string& line : host_->take(milliseconds(0))) {
      if (line.starts_with("restart ")) {
        restart_because = line.substr(line.find(' ') + 1);
        continue;
      }
      if (line.starts_with("stuck ")) {
        on_stuck(std::string_view(line).substr(line.find(' ') + 1));
        if (phase_ == Phase::kSwapping) restart_because = overdue_call();
        continue;
      }
      follow(line);
      say(report_.receive(line, clock_->now()));
      if (line.starts_with("ready") || line.starts_with("swapped")) notify_debugger();
    }
    if (!restart_because.empty()) return restart(restart_because, last_);
    if (!host_->ended()) return;
    const std::string how = host_->end(kEndLimit);
    host_.reset();
    say("==> the host has exited" + (how.empty() ? "" : " with " + how) +
        ": save a change to start it again");
  }

  void notify_debugger() {
    if (options_.debug == DevOptions::Debug::kNo) return;
    std::ifstream in("/proc/" + std::to_string(host_->pid()) + "/maps");
    const std::string maps((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string line = debugger_line(host_->pid(), maps, build_.plugin());
    if (!line.empty()) say("==> " + line);
  }

  [[nodiscard]] std::string overdue_call() const {
    const std::string& first = *stuck_.begin();
    const std::size_t key = first.find(' ') + 1;
    return first.substr(0, key - 1) + (key < first.size() ? " of " + first.substr(key) : "") +
           " has not returned";
  }

  // Names of files with the symbols of a build.
  static constexpr const char* kServing = "serving.so";
  static constexpr const char* kNext = "next.so";

  /// The host's state with regard to the last build that it got.
  enum class Phase { kStarting, kServing, kSwapping, kRefused };

  const DevOptions options_;
  std::ostream& out_;
  std::ostream& err_;
  const UniqueFd signals_ = signals();
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  PluginBuild build_;
  DevInputs inputs_;
  UniqueFd lock_;  // On the build directory.
  const Result<StagingDirectory> staging_ = StagingDirectory::create();
  Phase phase_ = Phase::kStarting;
  std::set<std::string> stuck_;  // Calls that do not end: activity and key.
  std::string kubeconfig_;
  std::unique_ptr<DevChild> sandbox_;
  std::unique_ptr<DevChild> host_;
  DevReport report_;
  std::optional<DevReport::Saved> last_;  // The save that the current swap is for.
};

}  // namespace

int run_dev(const DevOptions& options, std::ostream& out, std::ostream& err) {
  umask(S_IWGRP | S_IWOTH);  // A plugin that others may write is not loaded.
  return Development(options, out, err).run();
}

}  // namespace davit::host
