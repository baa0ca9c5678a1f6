/// One process of the host in an explored run: its replica, and its part in leader election.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/election/leader_election.hpp"
#include "lib/net/transport.hpp"
#include "testing/explore/subject.hpp"
#include "testing/explore/world.hpp"
#include "testing/replica.hpp"

namespace davit::explore {

/// Single-threaded. The lease is renewed as by LeaderElector's thread: whenever it is due and the
/// process is not suspended.
class Process final : private host::ControllerObserver {
 public:
  struct Options {
    std::string name;                   ///< "A", its identity in the lease.
    std::vector<std::string> departed;  ///< Identities of processes that have ended.
    /// The number of changes that the server's watch cache lacks when it starts; of one resource
    /// ("pods"), or of all if it is empty.
    int behind = 0;
    std::string behind_in{};
  };
  /// The references outlive this.
  Process(World& world, const Subject& subject, Options options);
  ~Process() override;

  [[nodiscard]] const std::string& name() const { return options_.name; }
  [[nodiscard]] testing::Replica& replica() { return replica_; }
  [[nodiscard]] const testing::Replica& replica() const { return replica_; }

  /// Renews the lease when that is due. False: it was lost.
  bool keep_lease();
  /// Gives the lease back.
  void release();
  /// Whether its caches are filled and its handlers have seen them before it leads.
  enum class Start : std::uint8_t { kCold, kStandby };
  /// Starts the controllers, and leads. The process ends with the error of one that does not start.
  Status start(Start how);
  enum class Change : std::uint8_t {
    kSwap,            ///< Another build of each controller takes its place.
    kEnable,          ///< Each is disabled and enabled.
    kDisable,         ///< Each is disabled.
    kUnload,          ///< Each is disabled, and the caches are dropped.
    kBeginAgain,      ///< Each that is disabled is enabled. Ignored without.
    kServerWentBack,  ///< The server was restored to an older state.
  };
  void take(Change change);

  /// The process ends: nothing that it sends from now on reaches the server.
  void end();
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  enum class Held : std::uint8_t { kThis, kOthers };
  /// The caches show nothing new: of one resource or of all others; of all, if it is empty.
  void hold(const std::string& resource, Held held = Held::kThis);
  /// The caches of one resource, or of all if it is empty, show nothing that came after `shown`.
  void hold_at(const std::string& resource, sandbox::Revision shown);
  /// Ends hold() and what the process was behind. False: it was not, or its time is not over.
  bool catch_up();

  /// The resources of its caches ("replicasets.apps").
  [[nodiscard]] std::set<std::string> followed() const;
  /// Why a write of this controller comes from knowledge that is older than its beginning; empty:
  /// it does not.
  [[nodiscard]] std::string staleness(std::string_view user_agent) const;
  /// A sum of what the caches have seen and the queues hold.
  [[nodiscard]] std::uint64_t state() const;

 private:
  /// A way to the server: of the controllers' requests, or of the host's own.
  class Door final : public Transport {
   public:
    enum class Of : std::uint8_t { kControllers, kHost };
    Door(Process& process, Of whose) : process_(process), whose_(whose) {}
    [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                     ResponseReader& reader) override;
    [[nodiscard]] std::string_view server() const override { return "the explored cluster"; }

   private:
    [[nodiscard]] Reply reply(const HttpServerRequest& request, const WriteGate& gate,
                              Status& refused);

    Process& process_;
    const Of whose_;
  };

  void synced(std::string_view controller, std::string_view key,
              const host::SyncOutcome& outcome) override;
  void logged(std::int32_t, std::string_view, std::span<const LogPair>) override {}
  void recorded(const host::Reference&, std::string_view, std::string_view,
                std::string_view) override {}
  void measured(std::string_view, double, std::span<const std::string_view>) override {}
  void refused(std::string_view controller, std::string_view why) override;

  /// Wins the lease, waiting for its end if need be.
  void win();
  /// Whether a write may be sent.
  [[nodiscard]] Status may_write();
  bool attempt();
  /// Has the caches lack what the options say.
  void begin_behind();
  void swap();
  void disable();
  void begin_again();
  [[nodiscard]] bool knows_core_group();
  /// Reports a catalog that lacks the core group, which a server never loses.
  void check_catalog();
  [[nodiscard]] Result<std::string> ask_for_lease(const host::LeaderElection::Request& request);
  void lead(host::ControllerHost& controller);
  [[nodiscard]] testing::ReplicaOptions replica_options();

  World& world_;
  const Subject& subject_;
  const Options options_;
  bool has_ended_ = false;
  bool is_behind_ = false;
  bool is_disabled_ = false;
  bool has_core_group_ = false;  // The catalog had it when the process began.
  bool has_lost_lease_ = false;  // For good, as LeaderElector has one life.
  host::LeaderElection election_;
  Time renew_at_ = Time::min();
  Time leads_until_ = Time::min();
  /// Since when a controller syncs.
  struct Beginning {
    sandbox::Revision revision = 0;
    Time time;
  };
  std::map<std::string, Beginning> beginnings_;  // The key is a controller's name.
  Door door_{*this, Door::Of::kControllers};
  Door own_door_{*this, Door::Of::kHost};
  testing::Replica replica_;
};

}  // namespace davit::explore
