/// Simulated nodes and a scheduler, as clients of an API server like any other.
#pragma once

#include <atomic>
#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/net/request_loop.hpp"
#include "lib/net/transport.hpp"
#include "nodes/kubelet_simulator.hpp"
#include "nodes/pod_events.hpp"
#include "nodes/pod_settings.hpp"

namespace davit::sandbox {

enum class Scheduling { kOn, kOff };
/// Whether there are volumes: the simulated CSI driver, nodes that mount, a scheduler that
/// considers claims. Without them, pods start regardless of their claims.
enum class StorageSwitch : std::uint8_t { kOn, kOff };
/// Whether there are devices: the simulated device driver, nodes that prepare, a scheduler that
/// heeds device claims. Without, pods start whatever their device claims are.
enum class DeviceSwitch : std::uint8_t { kOn, kOff };

struct SimulationOptions {
  KubeletSimulatorOptions nodes;  ///< Without plans only nodes with the annotation are simulated.
  PodDefaults pods;
  Scheduling scheduling = Scheduling::kOn;
  StorageSwitch storage = StorageSwitch::kOff;
  DeviceSwitch devices = DeviceSwitch::kOff;
  int devices_per_node = 0;                          ///< Without an annotation of the node.
  PodEventSwitch pod_events = PodEventSwitch::kOff;  ///< Three writes more for each container.
};

/// The dependencies of a simulation; each outlives it. The transport determines the server: over a
/// socket, or in this process.
struct SimulationSeams {
  Transport& transport;
  Clock& clock;
  Random& random;
  Logger log;
};

/// Does nothing by itself: its owner calls step(). All calls from one thread.
class Simulation {
 public:
  /// Posts to `loop` when step() has something to do before its time; also from within step(). The
  /// loop is that of the calling thread and outlives this. Requests over sockets are driven while
  /// the owner waits in it.
  Simulation(const SimulationSeams& seams, const SimulationOptions& options, RequestLoop& loop);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Takes in the server's responses and does the work that is due. Returns when to call it next if
  /// nothing is posted.
  Time step();
  /// Whether nodes and pods were read; only then pods move.
  [[nodiscard]] bool synced() const;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

/// A Simulation with its own thread, for programs.
class SimulationThread {
 private:
  struct Private {};  // Only open() makes one.

 public:
  /// Starts at once. kUnavailable: the system has no thread for it.
  [[nodiscard]] static Result<std::unique_ptr<SimulationThread>> open(
      const SimulationSeams& seams, const SimulationOptions& options);
  SimulationThread(Private, const SimulationSeams& seams, const SimulationOptions& options);
  /// Stops and waits; no request is in progress afterwards.
  ~SimulationThread();
  SimulationThread(const SimulationThread&) = delete;
  SimulationThread& operator=(const SimulationThread&) = delete;

  /// Any thread.
  [[nodiscard]] bool synced() const { return synced_.load(std::memory_order_relaxed); }

 private:
  void run();

  Clock& clock_;
  std::atomic<bool> synced_{false};  // Only a hint for others: nothing hangs on its order.
  RequestLoop loop_;
  Simulation simulation_;
  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace davit::sandbox
