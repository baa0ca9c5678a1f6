/// The end of builds that serve no more: proven, or counted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/swap/generation.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// A build that is still in memory and serves no more.
struct Resident {
  std::string plugin;
  BuildName build;
  std::string reason;             ///< All blockers in one line.
  std::vector<Finding> blockers;  ///< The same, one by one.
};

/// Ends builds and keeps what will not leave. One thread at a time.
class Retirement {
 public:
  Retirement(Clock& clock, Logger log) : clock_(clock), log_(std::move(log)) {}
  Retirement(const Retirement&) = delete;
  Retirement& operator=(const Retirement&) = delete;
  ~Retirement();

  /// Ends the controllers of a build that no longer serves or never did, closes its library and
  /// checks whether it has left. If not, all reasons are reported, and the build is kept here.
  /// `stray` is a builder that still runs for it, or null.
  Retired retire(Generation generation, Time deadline,
                 std::unique_ptr<GenerationBuilder> stray = nullptr);

  /// Tries again to close what could not be closed: a thread may have ended since.
  void sweep();

  [[nodiscard]] std::vector<Resident> residents() const;
  /// Code of some build may still be running: the process must end without destroying this.
  [[nodiscard]] bool runs_stray_code() const;

 private:
  struct Kept {
    Resident resident;
    Generation generation;
    std::unique_ptr<GenerationBuilder> builder;  // Its thread may run.
    std::unique_ptr<LimitedCall> ending;         // Calls destroy(), maybe still.
    std::filesystem::path library;               // Closed, and still mapped.
    std::vector<std::filesystem::path> brought;  // Libraries that came with it.
    std::vector<Finding> blockers;               // The reasons of the last attempt.
  };

  /// Continues the retirement; true once the build is unmapped.
  bool end(Kept& kept, Time deadline);
  bool try_end(Kept& kept, Time deadline);
  bool end_controllers(Kept& kept, Time deadline);
  void close(Kept& kept);

  Clock& clock_;
  const Logger log_;
  std::vector<std::unique_ptr<Kept>> kept_;  // Entries stay where they are: threads use them.
};

}  // namespace davit::host
