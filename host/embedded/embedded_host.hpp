/// A host of controllers inside another program. docs/EMBEDDING.md says what this promises.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

namespace davit::host {

/// Runs the controllers in a manifest as `davit run` does. What belongs to a process stays with the
/// program that embeds it: signals, the crash handler, the quarantine, the socket of `davit ctl`,
/// and the limits of memory and descriptors. SIGPIPE is ignored from open() on, unless the program
/// handles it.
///
/// Life:  open() → run(), once → destructor. One thread, except request_stop().
class EmbeddedHost {
  struct State;

 public:
  /// Reads the manifest, opens its plugins and finds the API server; sends nothing. The error is
  /// for the operator, with a line for each mistake. kInvalid: mistakes in files; kUnavailable: the
  /// system lacks a descriptor, or the port of the health server is in use.
  [[nodiscard]] static Result<std::unique_ptr<EmbeddedHost>> open(const std::string& manifest);

  /// See open().
  explicit EmbeddedHost(std::unique_ptr<State> state);
  EmbeddedHost(const EmbeddedHost&) = delete;
  EmbeddedHost& operator=(const EmbeddedHost&) = delete;
  /// After hangs(), leaks what the hanging call uses.
  ~EmbeddedHost();

  /// Waits for the API server, starts the controllers, and runs them until request_stop(), the loss
  /// of the lease or the restore of the server. Then stops them, waits for running syncs within
  /// `controllerShutdownTimeout`, and releases the lease. Blocks; controllers run on other threads.
  /// An error for every end but request_stop(): the program should log it and exit with 1.
  [[nodiscard]] Status run();

  /// Ends run(), also while it starts. Any thread; safe in a signal handler. This must exist.
  void request_stop() noexcept;

  /// Whether a call into a plugin did not return in time. The program must then end by
  /// std::_Exit(), because the call may use everything that exit() destroys. After run().
  [[nodiscard]] bool hangs() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace davit::host
