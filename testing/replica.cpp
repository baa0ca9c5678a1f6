#include "testing/replica.hpp"

#include <algorithm>
#include <utility>

namespace davit::testing {
namespace {

/// No request waits for the rate limiter: that would move the clock.
constexpr host::TokenBucket::Rate kRate{0, 1};

}  // namespace

Replica::Replica(ReplicaOptions options, ReplicaSeams seams)
    : options_(std::move(options)),
      seams_(std::move(seams)),
      random_(make_seeded_random(options_.seed)),
      metrics_(host::Metrics::make({}, seams_.clock)),
      client_(seams_.own, seams_.clock, *metrics_, log_, host::RestOptions{.rate = kRate}),
      discovery_(client_),
      caches_(seams_.server, seams_.clock, options_.page_size),
      context_(context_seams(), context_options()),
      event_api_(client_),
      events_(event_api_, seams_.clock, *random_, log_,
              {.host = "test", .threads = Threads::kNone}) {
  caches_.feed(context_.informers());
}

host::ControllerClient Replica::client_of() {
  return {seams_.requests, host::RestOptions{.rate = kRate}, events_};
}

host::ContextSeams Replica::context_seams() {
  host::ServerHistory::OnRestored on_restored = seams_.on_restored;
  if (!on_restored) on_restored = [](const host::ServerHistory::Restore&) {};
  return {.clock = seams_.clock,
          .random = *random_,
          .log = log_,
          .metrics = *metrics_,
          .discovery = discovery_,
          .lists = caches_,
          .cache_metrics = caches_,
          .client = [this](const host::DeclaredController&) { return client_of(); },
          .leads = [this](host::ControllerLease) { return options_.may_write; },
          .on_restored = std::move(on_restored),
          .observer = this,
          .outside = seams_.outside};
}

host::ContextOptions Replica::context_options() const {
  return {.reflector = stepped_reflector(options_.page_size),
          .read_your_writes = options_.read_your_writes,
          .threads = Threads::kNone};
}

host::DeclaredController Replica::declared(std::string_view name) const {
  host::DeclaredController own;
  own.name = name;
  own.client_name = name;
  own.event_component = name;
  own.is_unlimited = options_.note == nullptr;
  if (options_.note == nullptr) return own;
  for (const host::DeclaredController& each : options_.note->controllers) {
    if (each.name == name) return each;
  }
  return own;
}

Result<HostedController*> Replica::make(std::string_view name, const Init& init,
                                        std::string_view config) {
  host::DeclaredController own = declared(name);
  const std::uint64_t generation = ++builds_[own.name];
  auto hosted = std::make_unique<HostedController>();
  hosted->host = context_.make({.declared = std::move(own),
                                .plugin = options_.note != nullptr ? options_.note->name : "test",
                                .build_id = "test",
                                .generation = generation,
                                .config = std::string(config)});
  const host::InitResult said = hosted->host->init(
      [&](const davit_call* call, const davit_context* context, davit_controller* out) {
        const std::int32_t outcome = init(call, context, out);
        hosted->raw = *out;
        return outcome;
      });
  if (said.outcome != host::InitOutcome::kStarted) {
    const bool is_skipped = said.outcome == host::InitOutcome::kSkipped;
    return Status(is_skipped ? Code::kUnsupported : Code::kInternal, said.reason);
  }
  if (Status s = hosted->host->commit(); !s.ok()) return s;
  hosted->host->start();
  hosts_.push_back(std::move(hosted));
  return hosts_.back().get();
}

HostedController* Replica::find(std::string_view name) const {
  const auto found = std::find_if(hosts_.begin(), hosts_.end(),
                                  [name](const auto& each) { return each->host->name() == name; });
  return found == hosts_.end() ? nullptr : found->get();
}

void Replica::end(const HostedController* hosted) {
  std::erase_if(hosts_, [hosted](const auto& each) { return each.get() == hosted; });
}

Result<Replica::Handed> Replica::hand_over(host::ControllerHost& from, host::ControllerHost& to) {
  if (const std::optional<host::StateForms> old = from.plugin().state_forms()) {
    const Result<std::string> state = from.plugin().write_state();
    if (!state) return state.error();
    const std::optional<host::StateForms> next = to.plugin().state_forms();
    if (next && !next->reads(old->writes)) {
      return Status(Code::kUnsupported, "it does not read this form of state");
    }
    if (next) {
      if (Status s = to.plugin().read_state(old->writes, *state); !s.ok()) return s;
    }
  }
  static_cast<void>(from.drain(seams_.clock.now()));
  return to.hand_over().take_over(from.hand_over()).has_lost_writes ? Handed::kNotAllWrites
                                                                    : Handed::kAll;
}

void Replica::follow_definitions() {
  if (!discovery_.has_listeners()) return;
  const auto definitions = seams_.server.find("customresourcedefinitions");
  const std::vector<sandbox::Revision>& changes = seams_.server.changes(*definitions);
  const bool is_requested = discovery_.take_request();
  if (!is_requested && changes.size() == definition_changes_) return;
  // After a failure it is asked again.
  if (discovery_.refresh().ok()) definition_changes_ = changes.size();
}

void Replica::process_pending() {
  follow_definitions();
  caches_.follow();
  context_.history().resolve_doubt(context_.informers(), seams_.clock.now());
  while (step(Work::kChange)) {
  }
}

bool Replica::step(Work what) {
  return std::any_of(hosts_.begin(), hosts_.end(),
                     [what](const auto& each) { return each->host->runner().step(what); });
}

bool Replica::sync_once(Order order) {
  const auto sync = [](const auto& each) { return each->host->runner().step(Work::kSync); };
  const std::uint64_t before = syncs_;
  while (syncs_ == before) {
    const bool has_synced = order == Order::kForward
                                ? std::any_of(hosts_.begin(), hosts_.end(), sync)
                                : std::any_of(hosts_.rbegin(), hosts_.rend(), sync);
    if (!has_synced) return false;
  }
  return true;
}

std::optional<Time> Replica::next_due() const {
  std::optional<Time> due = caches_.next_due();
  for (const auto& each : hosts_) {
    const std::optional<Time> next = each->host->runner().next_due();
    if (next) due = std::min(due.value_or(*next), *next);
  }
  return due;
}

void Replica::synced(std::string_view controller, std::string_view key,
                     const host::SyncOutcome& outcome) {
  ++syncs_;
  seams_.observer.synced(controller, key, outcome);
}

void Replica::logged(std::int32_t level, std::string_view message,
                     std::span<const LogPair> fields) {
  seams_.observer.logged(level, message, fields);
}

void Replica::recorded(const host::Reference& regarding, std::string_view type,
                       std::string_view reason, std::string_view message) {
  seams_.observer.recorded(regarding, type, reason, message);
}

void Replica::measured(std::string_view metric, double value,
                       std::span<const std::string_view> labels) {
  seams_.observer.measured(metric, value, labels);
}

void Replica::refused(std::string_view controller, std::string_view why) {
  seams_.observer.refused(controller, why);
}

}  // namespace davit::testing
