#include "host/process/host_elections.hpp"

#include <utility>

namespace davit::host {
namespace {

LeaderElectionOptions named(LeaderElectionOptions options, const std::string& lease) {
  options.name = lease;
  return options;
}

}  // namespace

HostElections::HostElections(LeaderElectionOptions options, const LeaderMigration& migration,
                             const Seams& seams, Handlers handlers)
    : handlers_(std::move(handlers)),
      log_(seams.log),
      main_lease_(seams.client, options.ns, options.name),
      migration_lease_(seams.client, options.ns, migration.leader_name),
      migration_options_(named(options, migration.leader_name)),
      seams_(seams),
      main_(options, main_lease_, seams.clock, seams.random, seams.metrics, seams.events, seams.log,
            {.on_started_leading = [this] { on_main(); },
             .on_stopped_leading = handlers_.on_stopped,
             .on_new_leader = {},
             .on_went_back = handlers_.on_went_back}) {}

void HostElections::want_migration() {
  Status started;
  {
    MutexLock lock(mutex_);
    if (migration_ || is_stopping_) return;
    migration_.emplace(
        migration_options_, migration_lease_, seams_.clock, seams_.random, seams_.metrics,
        seams_.events, seams_.log,
        LeaderElectionHandlers{
            .on_started_leading = [this] { handlers_.on_won(ControllerLease::kMigration); },
            .on_stopped_leading = handlers_.on_stopped,
            .on_new_leader = {},
            .on_went_back = handlers_.on_went_back});
    migration_view_.store(&*migration_, std::memory_order_release);
    // A host that has to wait for its own lease watches this one, too: a leader that hangs
    // holds both, and their time runs out together.
    started =
        migration_->start(has_main_ ? LeaderElector::Stand::kAtOnce : LeaderElector::Stand::kWait);
  }
  if (started.ok()) return;
  log_.error("Cannot stand for election on the leader migration's lease",
             {{"err", started.message()}});
  handlers_.on_stopped(ElectionEnd::kLost);
}

void HostElections::on_main() {
  handlers_.on_won(ControllerLease::kMain);
  MutexLock lock(mutex_);
  has_main_ = true;
  if (migration_) migration_->stand();
}

void HostElections::stop() {
  main_.stop(LeaderElector::Release::kYes);
  LeaderElector* migration = nullptr;
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    if (migration_) migration = &*migration_;
  }
  // Without the lock: it waits for a thread.
  if (migration != nullptr) migration->stop(LeaderElector::Release::kYes);
}

WriteGate HostElections::gate(ControllerLease lease) const {
  return [this, lease]() -> Status {
    const LeaderElector* elector = nullptr;
    if (lease == ControllerLease::kMain) elector = &main_;
    if (lease == ControllerLease::kMigration) {
      elector = migration_view_.load(std::memory_order_acquire);
    }
    if (elector != nullptr && elector->may_write()) return {};
    return Status(Code::kCancelled, "not the leader");
  };
}

Status HostElections::health() const {
  const Status main = main_.health();
  const LeaderElector* const migration = migration_view_.load(std::memory_order_acquire);
  return main.ok() && migration != nullptr ? migration->health() : main;
}

}  // namespace davit::host
