/// Host, plugins and cluster in one process, with faults between them, from a seed, on a clock that
/// moves when everybody is done with what there is to do.
///
/// The host lives on its threads (workers, informers, the recorder of events), and these run here,
/// too. A seed fixes the faults that are drawn; which of several requests of one instant they hit
/// is up to the threads.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nodes/simulation.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/auth/tokens.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/controllers/controllers.hpp"
#include "sandbox/faults/fault_layer.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/system/host_thread.hpp"
#include "tests/system/quiet_clock.hpp"
#include "tests/system/record.hpp"
#include "tests/system/traffic.hpp"

namespace davit::test {

struct WorldOptions {
  std::uint64_t seed = 1;  ///< DAVIT_SYSTEM_SEED in the environment is stronger.
  int nodes = 3;           ///< In three zones, in turn.
  /// Between renewals of a node's lease. A test of nodes wants ten seconds; others want quiet.
  Duration lease_period = std::chrono::minutes(1);
  std::string faults = {};  ///< Played before davit starts; empty: none.
  /// The rights of davit: all, or those that `davit rbac` prints for its controllers.
  enum class Rights { kAll, kPrinted } rights = Rights::kAll;
  sandbox::ControllerOptions cluster = {};  ///< The controllers that are not davit's.
  /// Makes the way of each davit to the server out of the common one; empty: they use that.
  std::function<std::unique_ptr<Transport>(Transport& common, QuietClock& clock)> way = {};
  HostOptions host;
};

/// Nodes, the controllers of a cluster that are not davit's, and davit, which works already.
class World {
 public:
  explicit World(WorldOptions options);
  explicit World(std::uint64_t seed) : World(WorldOptions{.seed = seed, .host = {}}) {}
  /// Stops the host: a test fails when it does not end.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// One rule or a script, as docs/sandbox-faults.md has them. It concerns davit, not the nodes.
  void play(const std::string& script);
  /// Forgets all rules.
  void heal() { faults_->clear(); }

  /// As a user, whom no fault befalls. A patch is a merge patch; the response must be a success.
  Json send(const std::string& method, const std::string& target, const std::string& body = "");
  /// As davit, whom the rules befall: the status of the response, 0 when none came.
  int ask(const std::string& method, const std::string& target, const std::string& body = "");
  /// Runs `replicas` pods of "`name`:1" with maxSurge 2 and maxUnavailable 1.
  void deploy(const std::string& name, int replicas);
  /// A merge patch of the Deployment.
  void patch(const std::string& name, const std::string& body);
  void set_image(const std::string& name, const std::string& image);

  /// Ends the davit that runs longest, or begins one more; the cluster continues.
  void stop_host();
  void start_host();
  /// The davit that runs longest.
  [[nodiscard]] HostThread& host() { return *hosts_.front(); }
  /// The output of `davit ctl status` of the oldest davit, and a page of its health server.
  [[nodiscard]] std::string status() { return hosts_.front()->status(); }
  [[nodiscard]] std::string page(const std::string& target) { return hosts_.front()->page(target); }
  /// Its metrics, as a scraper gets them.
  [[nodiscard]] std::string metrics() const;
  /// Keys in the queues of the davit that runs longest.
  [[nodiscard]] std::size_t waiting() { return hosts_.front()->waiting(); }
  /// Lets `worker` act as a user at every moment at which time stands still: for tests of what a
  /// controller would do that has a certain fault, or for a kubelet that has.
  void employ(std::function<void(World&)> worker) { worker_ = std::move(worker); }

  /// Lets so much time pass, and all that happens in it.
  void pass(Duration time);
  /// Lets so much time pass until `holds`. Whether it does.
  bool reach(Duration time, const std::function<bool()>& holds);
  /// Lets time pass until `holds`; a failure when it takes longer than any back-off.
  void await(const std::string& what, const std::function<bool()>& holds);
  /// Until so many pods of the latest spec are available, and no other is left.
  void await_rollout(const std::string& name, int replicas);
  /// Until so many of its pods are Ready, no matter what created them.
  void await_pods(const std::string& name, std::size_t pods);
  /// Until neither it nor anything that it had is left.
  void await_end(const std::string& name);

  /// For three minutes no client touches `name`, and davit writes nothing at all.
  void expect_silence(const std::string& name);
  /// That what must hold always did.
  void expect_order(const std::string& name);

  [[nodiscard]] const Record& record() const { return *record_; }
  [[nodiscard]] const Traffic& traffic() const { return *traffic_; }
  [[nodiscard]] const RecordingLogSink& log() const { return log_; }
  /// The store, which applies no rule of the API.
  [[nodiscard]] sandbox::Store& store() { return store_; }
  [[nodiscard]] QuietClock& clock() { return clock_; }
  /// The clock of the machine on which every davit runs.
  [[nodiscard]] MachineClock& host_clock() { return host_clock_; }
  /// Images of the pods that are not being deleted.
  [[nodiscard]] std::string images(const std::string& name) const;

 private:
  /// Waits until all consequences of the past are done, and the worker has had its turn.
  void wait_until_idle();
  /// Makes what `davit rbac` prints, and has davit work under it.
  void restrict_rights();

  const WorldOptions options_;
  const testing::ScopedTrace trace_;
  QuietClock clock_;
  MachineClock host_clock_{clock_};
  RecordingLogSink log_;
  std::unique_ptr<Random> random_;
  sandbox::Store store_;
  sandbox::ServiceAccountTokens tokens_;
  std::unique_ptr<sandbox::Authenticator> authenticator_;
  std::unique_ptr<sandbox::Authorizer> authorizer_;
  std::unique_ptr<sandbox::ApiServer> server_;
  std::unique_ptr<Traffic> traffic_;
  std::unique_ptr<sandbox::FaultLayer> faults_;
  std::unique_ptr<Record> record_;
  std::unique_ptr<sandbox::InProcessTransport> transport_;  // davit's, with the faults.
  std::unique_ptr<sandbox::InProcessTransport> nodes_transport_;
  std::unique_ptr<sandbox::SimulationThread> nodes_;
  std::unique_ptr<sandbox::Controllers> controllers_;
  std::jthread controllers_thread_;
  std::vector<std::unique_ptr<Transport>> ways_;    // That options_.way has made.
  std::vector<std::unique_ptr<HostThread>> hosts_;  // Oldest first.
  std::function<void(World&)> worker_;
};

}  // namespace davit::test
