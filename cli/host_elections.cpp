#include "cli/host_elections.hpp"

#include <utility>

namespace davit::host {

HostElections::HostElections(LeaderElectionOptions options, const LeaderMigration& migration,
                             Migrated migrated, const Seams& seams, Handlers handlers)
    : handlers_(std::move(handlers)),
      log_(seams.log),
      main_lease_(seams.client, options.ns, options.name),
      migration_lease_(seams.client, options.ns, migration.leader_name),
      main_(options, main_lease_, seams.clock, seams.random, seams.metrics, seams.events, seams.log,
            {.on_started_leading = [this] { on_main(); },
             .on_stopped_leading = handlers_.on_stopped,
             .on_new_leader = {}}) {
  if (migrated == Migrated::kNone) return;
  options.name = migration.leader_name;
  migration_.emplace(
      options, migration_lease_, seams.clock, seams.random, seams.metrics, seams.events, seams.log,
      LeaderElectionHandlers{
          .on_started_leading = [this] { handlers_.on_won(ControllerLease::kMigration); },
          .on_stopped_leading = handlers_.on_stopped,
          .on_new_leader = {}});
}

void HostElections::on_main() {
  handlers_.on_won(ControllerLease::kMain);
  if (!migration_) return;
  if (Status s = migration_->start(); !s.ok()) {
    log_.error("Cannot stand for election on the lease of the migration", {{"err", s.message()}});
    handlers_.on_stopped();
  }
}

void HostElections::stop() {
  main_.stop(LeaderElector::Release::kYes);
  if (migration_) migration_->stop(LeaderElector::Release::kYes);
}

WriteGate HostElections::gate(ControllerLease lease) const {
  const LeaderElector* elector = nullptr;
  if (lease == ControllerLease::kMain) elector = &main_;
  if (lease == ControllerLease::kMigration && migration_) elector = &*migration_;
  return [elector]() -> Status {
    if (elector != nullptr && elector->may_write()) return {};
    return Status(Code::kCancelled, "not the leader");
  };
}

Status HostElections::health() const {
  const Status main = main_.health();
  return main.ok() && migration_ ? migration_->health() : main;
}

}  // namespace davit::host
