/// The provider side of a controller ("davit.cloud-provider/1").
#pragma once

#include <davit/cloud.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/plugin/plugin_controller.hpp"
#include "host/run/controller_runner.hpp"
#include "lib/base/gate.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// The Nodes whose machines a provider is being asked about: one call for each at a time, whichever
/// loop makes it. Rule: docs/spec/cloud.md, E2. Thread-safe.
class BusyNodes {
 public:
  /// A call about a Node; ends when destroyed. The set outlives it.
  class Call {
   public:
    Call(BusyNodes& of, std::string node) : of_(&of), node_(std::move(node)) {}
    Call(Call&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), node_(std::move(other.node_)) {}
    Call& operator=(Call&&) = delete;
    ~Call() {
      if (of_ != nullptr) of_->end(node_);
    }

   private:
    BusyNodes* of_;
    std::string node_;
  };
  /// Nothing: such a call runs.
  [[nodiscard]] std::optional<Call> begin(std::string node) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!nodes_.insert(node).second) return std::nullopt;
    return Call(*this, std::move(node));
  }

 private:
  void end(const std::string& node) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    nodes_.erase(node);
  }

  Mutex mutex_;
  std::set<std::string> nodes_ GUARDED_BY(mutex_);
};

/// Makes the calls of the loops into a provider, each in a CallFrame of the provider's own. Without
/// that side, and in a shadow, it does nothing. Thread-safe once opened.
class CloudSide {
 public:
  /// The references outlive this.
  CloudSide(ControllerAbi& abi, PluginController& plugin, ControllerRunner& runner)
      : abi_(abi), plugin_(plugin), runner_(runner) {}
  CloudSide(const CloudSide&) = delete;
  CloudSide& operator=(const CloudSide&) = delete;
  ~CloudSide() = default;

  /// Reads the side and offers it; after init(). kAlreadyExists: there is another provider.
  Status open();
  /// The build serves from now on.
  void lead();
  /// Waits for the calls that run.
  [[nodiscard]] bool wait_idle(Time deadline) {
    return gate_.wait_empty(abi_.services.clock, deadline);
  }
  /// No call begins any more; waits for those that run, which are cancelled at `wait.cancel_at`.
  /// Whether all have ended.
  [[nodiscard]] bool end(const Quiesce& wait);

  [[nodiscard]] const std::string& name() const { return abi_.options.declared.name; }
  /// The offer, fixed by open().
  struct Scope {
    std::uint32_t parts = 0;  ///< DAVIT_CLOUD_*, as bits.
    std::string classes{};    ///< The values of spec.loadBalancerClass, separated by commas.
    bool only_classes = false;

    friend bool operator==(const Scope&, const Scope&) = default;
  };
  [[nodiscard]] const Scope& scope() const { return scope_; }
  [[nodiscard]] bool is_ready() const { return runner_.is_running(); }
  [[nodiscard]] Gate& gate() { return gate_; }

  /// One function of the provider, bound to its arguments.
  using Function = std::function<davit_code(void* self, const davit_call* call,
                                            davit_cloud_answer& answer, const davit_sink& text)>;
  struct Answer {
    Status status;
    davit_cloud_answer flags{};
    std::string text;  ///< The answer's text; only with success.
    bool is_written = false;
    bool is_missing = false;  ///< The provider said DAVIT_NOT_FOUND.
    bool is_cut = false;      ///< It failed when it had to end: kCancelled, and nothing else is.

    /// The answer of get() is that there is one.
    [[nodiscard]] bool is_there() const { return status.ok() && flags.exists != 0; }
  };
  struct CallOptions {
    std::string_view name;  ///< The function's, for crash reports.
    std::size_t bytes_max = DAVIT_CLOUD_ANSWER_BYTES_MAX;
  };
  /// Calls the provider for a call of a loop. The caller holds a pass.
  [[nodiscard]] Answer call(const CallFrame& loop, const CallOptions& options,
                            const Function& function);
  /// The functions of the parts that are offered.
  struct Tables {
    davit_load_balancers load_balancers{};
    davit_instances instances{};
    davit_routes routes{};
  };
  [[nodiscard]] const Tables& tables() const { return tables_; }
  [[nodiscard]] BusyNodes& busy_nodes() { return busy_nodes_; }
  /// An object of a loop, as the provider's own projection of the resource shows it.
  [[nodiscard]] davit_value shown(davit_value object, std::string_view resource) const;

 private:
  ControllerAbi& abi_;
  PluginController& plugin_;
  ControllerRunner& runner_;
  Gate gate_;
  BusyNodes busy_nodes_;
  // Fixed by open().
  Tables tables_;
  Scope scope_;
  bool is_offered_ = false;
  std::atomic<bool> is_broken_{false};  // It threw: it is not called any more.
};

}  // namespace davit::host
