#include "host/context/controller_context.hpp"

#include <utility>

namespace davit::host {

ControllerContext::ControllerContext(ContextSeams seams, const ContextOptions& options)
    : seams_(std::move(seams)),
      options_(options),
      history_(seams_.on_restored, seams_.on_undecided),
      follow_threads_(seams_.lists, seams_.clock),
      informers_(InformerSeams{seams_.lists, space_, seams_.clock, seams_.random,
                               seams_.cache_metrics, seams_.on_skip, seams_.contact,
                               [this](const ResourceId& resource, std::string_view known,
                                      std::string_view version) {
                                 history_.went_back(resource, known, version);
                               },
                               &follow_threads_},
                 seams_.log.named("informer"), options_.reflector),
      journal_(options_.journal_bytes) {}

WriteGate ControllerContext::gate_of(const ControllerTerms& terms) const {
  WriteGate gate;
  if (!terms.declared.without_leadership) gate = seams_.leads(terms.lease);
  return history_.fence(std::move(gate));
}

HostServices ControllerContext::services(const ControllerClient& client) {
  return {.space = space_,
          .informers = informers_,
          .transport = client.transport,
          .discovery = seams_.discovery,
          .events = client.events,
          .metrics = seams_.metrics,
          .clock = seams_.clock,
          .random = seams_.random,
          .log = seams_.log,
          .observer = seams_.observer,
          .outside = seams_.outside,
          .tracer = seams_.tracer,
          .journal = &journal_,
          .cloud = &cloud_};
}

std::unique_ptr<ControllerHost> ControllerContext::make(ControllerTerms terms) {
  WriteGate gate = gate_of(terms);
  ControllerClient client = seams_.client(terms.declared);
  const HostServices services = this->services(client);
  RestOptions& rest = client.options;
  return std::make_unique<ControllerHost>(
      ControllerHostOptions{.declared = std::move(terms.declared),
                            .plugin = std::move(terms.plugin),
                            .build_id = std::move(terms.build_id),
                            .generation = terms.generation,
                            .workers = terms.workers,
                            .config = std::move(terms.config),
                            .rate = rest.rate,
                            .user_agent = std::move(rest.user_agent),
                            .field_manager = std::move(rest.field_manager),
                            .failure_backoff = rest.failure_backoff,
                            .lease = terms.lease,
                            .write_gate = std::move(gate),
                            .on_success = std::move(rest.on_success),
                            .sync_limit = options_.sync_limit,
                            .dry_run = options_.dry_run,
                            .read_your_writes = options_.read_your_writes,
                            .threads = options_.threads},
      services);
}

}  // namespace davit::host
