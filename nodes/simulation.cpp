#include "nodes/simulation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "host/api/rest_client.hpp"
#include "lib/base/start_thread.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/pod_runner.hpp"
#include "nodes/reflector.hpp"
#include "nodes/scheduler.hpp"
#include "nodes/simulated_devices.hpp"
#include "nodes/simulated_storage.hpp"

namespace davit::sandbox {

struct Simulation::Parts {
  Parts(const SimulationSeams& seams, const SimulationOptions& options, RequestLoop& loop)
      : api(seams.transport, loop, host::user_agent("sandbox-nodes")),
        kubelets(
            {api, seams.clock, seams.random, seams.log.named("nodes")}, options.nodes,
            [this](const std::string& node) {
              pods.node_switched(node);
              if (storage) storage->mounter().node_changed(node);
            },
            [this](const std::string& node) {
              if (storage) storage->mounter().node_changed(node);
            }),
        pods({api, seams.clock, seams.log.named("pods")}, options.pods, options.pod_events,
             kubelets),
        scheduler({api, seams.clock, seams.random, seams.log.named("scheduler")}),
        schedules(options.scheduling == Scheduling::kOn),
        node_reflector({api, seams.clock, seams.random, seams.log}, "/api/v1/nodes",
                       node_handlers()),
        pod_reflector({api, seams.clock, seams.random, seams.log}, "/api/v1/pods", pod_handlers()) {
    if (options.storage == StorageSwitch::kOn) add_storage(seams);
    if (options.devices == DeviceSwitch::kOn) add_devices(seams, options.devices_per_node);
  }

  void add_storage(const SimulationSeams& seams) {
    storage.emplace(
        Reflector::Seams{api, seams.clock, seams.random, seams.log}, kubelets,
        [this](const std::string& pod) { pods.wake(pod); },
        [this](StorageKind kind, const std::string& name) {
          if (schedules) scheduler.storage_changed(kind, name);
        });
    pods.mount_with(storage->mounter());
    scheduler.heed(storage->view());
  }

  void add_devices(const SimulationSeams& seams, int per_node) {
    devices.emplace(
        Reflector::Seams{api, seams.clock, seams.random, seams.log}, per_node,
        [this](const std::string& pod) { pods.wake(pod); },
        [this](DeviceKind kind, const std::string& name, DeviceChange change) {
          if (schedules) scheduler.devices_changed(kind, name, change);
        });
    pods.prepare_with(devices->preparer());
    scheduler.heed(devices->view(),
                   [this](Json object) { return devices->take(std::move(object)); });
  }

  Reflector::Handlers node_handlers() {
    return {[this](Json node) {
              if (schedules) scheduler.node_changed(node);
              if (storage) storage->node_changed(node);
              if (devices) devices->node_changed(node);
              kubelets.changed(std::move(node));
            },
            [this](const std::string& key) {
              if (schedules) scheduler.node_removed(key);
              kubelets.removed(key);
              if (storage) storage->node_removed(key);
              if (devices) devices->node_removed(key);
            }};
  }
  Reflector::Handlers pod_handlers() {
    return {[this](Json pod) {
              if (schedules) scheduler.pod_changed(pod);
              pods.changed(std::move(pod));
            },
            [this](const std::string& key) {
              if (schedules) scheduler.pod_removed(key);
              pods.removed(key);
            }};
  }

  Time step() {
    (void)api.deliver();
    Time next = node_reflector.step();
    // Nodes first: pods that exist hold addresses of theirs.
    if (node_reflector.synced()) next = std::min(next, pod_reflector.step());
    if (storage) next = std::min(next, storage->follow());
    if (devices) next = std::min(next, devices->follow());
    if (!begun && pod_reflector.synced() && (!storage || storage->synced())) begin();
    next = std::min(next, kubelets.step());
    if (!begun) return next;
    next = std::min(next, pods.step());
    // Pods are woken when their devices are prepared.
    if (devices) next = std::min({next, devices->step(), pods.step(), devices->step()});
    if (storage) {
      next = std::min({next, storage->step(), pods.step()});  // Pods are woken to unmount.
      // After all pods, which say what is mounted.
      next = std::min({next, storage->step(), kubelets.step()});
    }
    return schedules ? std::min(next, scheduler.step()) : next;
  }

  void begin() {
    begun = true;
    pods.begin();
    if (storage) storage->begin();
    if (schedules) scheduler.begin();
  }

  ApiCalls api;
  KubeletSimulator kubelets;
  PodRunner pods;
  Scheduler scheduler;
  const bool schedules;
  bool begun = false;
  std::optional<SimulatedStorage> storage;
  std::optional<SimulatedDevices> devices;
  Reflector node_reflector;
  Reflector pod_reflector;
};

Simulation::Simulation(const SimulationSeams& seams, const SimulationOptions& options,
                       RequestLoop& loop)
    : parts_(std::make_unique<Parts>(seams, options, loop)) {}

Simulation::~Simulation() = default;

Time Simulation::step() { return parts_->step(); }

bool Simulation::synced() const { return parts_->begun; }

Result<std::unique_ptr<SimulationThread>> SimulationThread::open(const SimulationSeams& seams,
                                                                 const SimulationOptions& options) {
  auto nodes = std::make_unique<SimulationThread>(Private{}, seams, options);
  if (!start_thread(nodes->thread_, "nodes", [at = nodes.get()] { at->run(); })) {
    return Status(Code::kUnavailable, "cannot simulate nodes: the system has no thread for them");
  }
  return nodes;
}

SimulationThread::SimulationThread(Private, const SimulationSeams& seams,
                                   const SimulationOptions& options)
    : clock_(seams.clock), simulation_(seams, options, loop_) {}

SimulationThread::~SimulationThread() { loop_.stop(); }

void SimulationThread::run() {
  while (!loop_.stopped()) {
    const Time next = simulation_.step();
    synced_.store(simulation_.synced(), std::memory_order_relaxed);
    static_cast<void>(loop_.wait(clock_, next, 1));
  }
}

}  // namespace davit::sandbox
