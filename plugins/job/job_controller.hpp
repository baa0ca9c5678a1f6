/// The controller of Jobs: runs pods until enough of them have succeeded.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/job/change_handlers.hpp"
#include "plugins/job/job.hpp"
#include "plugins/job/job_memory.hpp"
#include "plugins/job/job_metrics.hpp"
#include "plugins/job/orphan_pods.hpp"
#include "plugins/job/pod_writer.hpp"

namespace davit::job {

/// Chooses what a sync is about; JobSync carries it out. Keeps between syncs what JobMemory says.
class JobController final : public Controller, private HandedState {
 public:
  explicit JobController(Context& cluster);

  [[nodiscard]] HandedState* state() override { return this; }
  /// The page "waits/KEY": expectations.
  [[nodiscard]] Result<DebugPage> debug(std::string_view path,
                                        std::string_view query) const override;

 private:
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  [[nodiscard]] Result<Again> sync(const Key& key);

  Context& cluster_;
  JobMemory memory_;
  JobMetrics metrics_;
  Queue queue_;
  Informer<Job> jobs_;
  Informer<Pod> pods_;
  OrphanPods orphans_;
  ChangeHandlers changes_;
  PodWriter writer_;
};

}  // namespace davit::job
