/// The host of a test cluster: its caches, and the controllers that it runs on the caller's thread.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/abi_request.hpp"
#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/server_history.hpp"
#include "host/context/controller_context.hpp"
#include "host/events/event_recorder.hpp"
#include "host/metrics/metrics.hpp"
#include "host/plugin/controller_host.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "testing/caches.hpp"
#include "testing/cluster_clock.hpp"
#include "testing/cluster_server.hpp"

namespace davit::testing {

/// Everything around a replica; each reference outlives it.
struct ReplicaSeams {
  ClusterClock& clock;
  ClusterServer& server;
  Transport& requests;  ///< The way of the controllers' requests to the server.
  Transport& own;       ///< The way of discovery and of Events.
  host::ControllerObserver& observer;
  host::OutboundConnector outside;
  /// Called when the server was restored to an older state: the owner ends the replica, which
  /// writes nothing more. Empty: the server is never restored.
  host::ServerHistory::OnRestored on_restored = {};
};

struct ReplicaOptions {
  /// The plugin's declaration; null: everything is allowed. Outlives the replica.
  const host::PluginDeclaration* note = nullptr;
  host::ControllerHostOptions::ReadYourWrites read_your_writes =
      host::ControllerHostOptions::ReadYourWrites::kOn;
  /// Asked before each write of a controller that needs leadership.
  WriteGate may_write;
  std::uint32_t page_size = Caches::kOnePage;
  std::uint64_t seed = 2;  ///< For back-off and the length of watches.
};

/// A controller at work.
struct HostedController {
  std::unique_ptr<host::ControllerHost> host;
  davit_controller raw{};
};

/// Each call does what is due and returns: nothing runs between two calls. Single-threaded.
class Replica final : private host::ControllerObserver {
 public:
  using Init =
      std::function<std::int32_t(const davit_call*, const davit_context*, davit_controller*)>;
  using Work = host::ControllerRunner::Work;

  Replica(ReplicaOptions options, ReplicaSeams seams);
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;
  ~Replica() override { hosts_.clear(); }  // First: they use all of the rest.

  /// Makes a controller that follows the caches and does not sync. The error of a failed init;
  /// kUnsupported and the reason when it was skipped.
  Result<HostedController*> make(std::string_view name, const Init& init, std::string_view config);
  /// Null if there is none of that name.
  [[nodiscard]] HostedController* find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::unique_ptr<HostedController>>& hosts() const {
    return hosts_;
  }
  void end(const HostedController* hosted);
  /// Whether a build has got all unseen writes of the one before, as ControllerWork::HandedOver has
  /// it.
  enum class Handed : std::uint8_t { kAll, kNotAllWrites };
  /// Hands state and keys to another build, which the caller lets begin then. After an error the
  /// old one runs on.
  [[nodiscard]] Result<Handed> hand_over(host::ControllerHost& from, host::ControllerHost& to);

  /// Brings the caches and the handlers up to date.
  void process_pending();
  /// Lets the first controller that has such work do a piece of it; false: none has any.
  bool step(Work what);
  /// The order in which controllers are asked.
  enum class Order : std::uint8_t { kForward, kBackward };
  /// Runs one sync; false when no key is ready.
  bool sync_once(Order order = Order::kForward);
  /// When the next delayed key, timer or failed list is due.
  [[nodiscard]] std::optional<Time> next_due() const;

  /// A controller's services, for those that the caller hosts itself.
  [[nodiscard]] host::HostServices services() { return context_.services(client_of()); }
  [[nodiscard]] host::ServerHistory& history() { return context_.history(); }
  /// The declaration of a controller: that of the note, else one without limits.
  [[nodiscard]] host::DeclaredController declared(std::string_view name) const;

  [[nodiscard]] host::RestClient& client() { return client_; }
  [[nodiscard]] Caches& caches() { return caches_; }
  [[nodiscard]] const Caches& caches() const { return caches_; }

 private:
  /// Has every line written and drops it: the observer records those of controllers.
  class LogDrain final : public LogSink {
   public:
    [[nodiscard]] int verbosity() const override { return kVerbosity; }
    void write(Severity, int, std::string_view, std::string_view,
               std::span<const LogPair>) override {}
    void flush() override {}

   private:
    static constexpr int kVerbosity = 10;  // A controller that asks whether a line is written.
  };

  void synced(std::string_view controller, std::string_view key,
              const host::SyncOutcome& outcome) override;
  void logged(std::int32_t level, std::string_view message,
              std::span<const LogPair> fields) override;
  void recorded(const host::Reference& regarding, std::string_view type, std::string_view reason,
                std::string_view message) override;
  void measured(std::string_view metric, double value,
                std::span<const std::string_view> labels) override;
  void refused(std::string_view controller, std::string_view why) override;

  [[nodiscard]] host::ContextSeams context_seams();
  [[nodiscard]] host::ContextOptions context_options() const;
  /// The client of each controller.
  [[nodiscard]] host::ControllerClient client_of();

  /// Refreshes discovery when the server offers something else, if a controller listens.
  void follow_definitions();

  const ReplicaOptions options_;
  const ReplicaSeams seams_;
  const std::unique_ptr<Random> random_;
  LogDrain sink_;
  const Logger log_{sink_};
  const std::unique_ptr<host::Metrics> metrics_;
  host::RestClient client_;
  host::Discovery discovery_;
  Caches caches_;
  host::ControllerContext context_;
  host::RestEventApi event_api_;
  host::EventRecorder events_;
  std::vector<std::unique_ptr<HostedController>> hosts_;
  std::uint64_t syncs_ = 0;                      // Ever.
  std::map<std::string, std::uint64_t> builds_;  // Ever made, by controller.
  std::size_t definition_changes_ = 0;
};

}  // namespace davit::testing
