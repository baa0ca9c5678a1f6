/// One child process of an isolated plugin, as its host sees it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <davit/result.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/isolation/child_settings.hpp"
#include "host/isolation/flow_limit.hpp"
#include "host/isolation/frame_channel.hpp"
#include "host/isolation/lockdown.hpp"
#include "host/isolation/messages.hpp"
#include "host/isolation/questions.hpp"
#include "host/transport/socket_source.hpp"
#include "lib/base/child_process.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

struct IsolatedProcessTerms {
  std::filesystem::path program;  ///< davit itself; see kIsolatedPluginArgument.
  LandlockNeed landlock = LandlockNeed::kRequired;
  ChildSettings settings;
  std::uint64_t memory_bytes = 0;  ///< The limit of memory that it does not share; 0: none.
  /// The servers that the child may be connected with: the API server, and those of the note.
  std::function<bool(const SocketAddress&)> may_connect;
  /// Whether the child syncs and writes as soon as its caches are filled, or after begin().
  enum class Begin { kAtOnce, kOnOrder } begin = Begin::kAtOnce;
};

struct IsolatedProcessSeams {
  Clock& clock;  ///< Outlives the process.
  Logger log;
  /// The bearer token of the plugin's account. Asked for again before it expires; may block.
  std::function<Result<std::string>()> token;
  SocketSource dial;  ///< Makes the connections.
  /// The time on boot_now() up to which writes may be sent.
  std::function<BootTime()> may_write_until;
  int wake = -1;  ///< A descriptor that ends step()'s wait once it is readable; -1: none does.
  std::filesystem::path proc = "/proc";  ///< The directory in which the kernel shows processes.
};

/// The state of the child.
struct IsolatedProcessState {
  enum class Phase { kStarting, kLocked, kReady, kEnded } phase = Phase::kStarting;
  /// kAsked: after drain(). kFailed: it reported that it cannot serve. kCrash: everything else.
  enum class End { kAsked, kFailed, kCrash } end = End::kAsked;
  std::string why_ended;  ///< In one line; empty: as it was asked to.
  std::string signal;     ///< With kCrash: as CrashRecord has it.
  pid_t pid = -1;
  Locked lock{};                   ///< From kLocked on.
  std::uint64_t memory_bytes = 0;  ///< That it does not share, at the last step.
  /// The latest of each controller.
  std::map<std::string, ControllerReport> reports{};
};

/// Nothing that comes from the child is trusted: a frame that is not one ends it, and lines,
/// reports and connections are bounded. Never waits for the child. One thread.
class IsolatedProcess {
 public:
  /// The most frames that one step() reads: a child that sends without end delays, but does not
  /// stop, what the host does between steps.
  static constexpr int kFramesMax = 64;
  /// The most frames that are read in a second; the child waits with the others. A state of 64 MiB
  /// takes a third of that.
  static constexpr std::size_t kFramesInASecond = 4096;
  /// The most log lines of a second; others are counted and left out.
  static constexpr std::size_t kLinesInASecond = 200;
  /// Messages that wait for a child that does not read. Then it ends.
  static constexpr std::size_t kUnreadMax = 64;
  /// A child that has closed its end has so long to end itself.
  static constexpr std::chrono::seconds kEndMax{5};
  /// From the start to Ready. Filling the caches of a large cluster takes minutes.
  static constexpr Duration kStartMax = std::chrono::minutes(10);
  /// From the start to Locked.
  static constexpr Duration kLockMax = std::chrono::seconds(30);

  /// Starts the process with the sealed file of the plugin. kUnavailable: the system cannot.
  [[nodiscard]] static Result<std::unique_ptr<IsolatedProcess>> start(IsolatedProcessTerms terms,
                                                                      IsolatedProcessSeams seams,
                                                                      const UniqueFd& plugin);
  /// See start().
  IsolatedProcess(IsolatedProcessTerms terms, IsolatedProcessSeams seams, FrameChannel channel,
                  ChildProcess child);
  /// Kills the process if it lives.
  ~IsolatedProcess() = default;

  /// Waits for frames of the child, or for its end, at most so long; acts on them, and sends what
  /// is due: tokens, and the time up to which it may write.
  void step(std::chrono::milliseconds limit);
  /// Lets a child with Begin::kOnOrder sync and write. Idempotent.
  void begin() { begins_ = true; }
  /// Sends a question once the child is locked. Returns its id in take_answers().
  std::uint32_t ask(Question question);
  /// The answers since the last call, by the ids of their questions.
  [[nodiscard]] std::map<std::uint32_t, Answered> take_answers() {
    return questions_.take_answers();
  }
  /// Asks the child to end; step() sees it end. It is killed `limit` after that.
  void drain(Duration limit);

  [[nodiscard]] const IsolatedProcessState& state() const { return state_; }

 private:
  /// Waits for a frame, for the end, for a child that reads again, or for seams_.wake.
  void wait(std::chrono::milliseconds limit);
  void read_frames();
  /// The child has closed its end.
  void take_end();
  void act(const ChildMessage& message);
  void act_on(const Locked& message);
  void act_on(const Ready& message);
  void act_on(const LogLine& message);
  void act_on(const ControllerReport& message);
  void act_on(const Connect& message);
  void act_on(const Drained& message);
  void act_on(const Failed& message);
  void act_on(const AnswerPart& message);
  void act_on(const Answer& message);
  void send(const HostMessage& message, UniqueFd descriptor = {});
  /// Sends what waits, as far as the child reads.
  void flush();
  void send_what_is_due();
  void send_deadline();
  void send_token();
  void limit_data();
  void report_left_out();
  void check_time();
  void check_memory();
  /// Kills the child and keeps the reason, the first one.
  void end(std::string why, IsolatedProcessState::End how = IsolatedProcessState::End::kCrash);

  // Fixed after construction.
  const IsolatedProcessTerms terms_;
  const IsolatedProcessSeams seams_;
  const Time began_;

  struct Outgoing {
    std::string frame;
    UniqueFd descriptor;
  };

  FrameChannel channel_;
  ChildProcess child_;
  /// The child's statm. Open from the start: where processes of others are hidden (hidepid, or
  /// ProtectProc= of systemd), a child disappears from /proc as soon as it is not dumpable.
  const UniqueFd memory_;
  IsolatedProcessState state_;
  FlowLimit frames_{kFramesInASecond};
  FlowLimit lines_{kLinesInASecond};
  OpenQuestions questions_;
  std::deque<Outgoing> outgoing_;       // At most kUnreadMax.
  std::deque<std::string> questioned_;  // Frames of questions. As long as those are.
  bool begins_;
  bool has_begun_ = false;
  std::string token_;
  Time token_due_{};
  BootTime may_write_until_{};        // As the child knows it.
  std::optional<Time> killed_at_;     // With drain().
  bool has_reported_server_ = false;  // Once: the child decides how often it asks.
};

}  // namespace davit::host
