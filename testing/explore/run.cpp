#include "testing/explore/run.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "testing/explore/administrator.hpp"
#include "testing/explore/course.hpp"
#include "testing/explore/process.hpp"

namespace davit::explore {
namespace {

using Action = Step::Action;

/// The time after a rest for retries: longer than a key waits for its writes to show up (30 s).
constexpr Duration kRest = std::chrono::seconds(40);
/// The same after an outage of discovery, which keys that failed meet again after longer waits, and
/// after a server was restored, which some controllers see in their next round of five minutes.
constexpr Duration kLongRest = std::chrono::minutes(6);
/// A supervisor starts a process again after so long, if it did not start.
constexpr Duration kRestartPause = std::chrono::seconds(2);
/// A step `wait` gives up then.
constexpr Duration kWaitMax = std::chrono::minutes(10);
/// Far above what a small scenario takes; in a large one each step may bring an object. A run
/// with faults may take so many times the syncs of the undisturbed one, and so many more.
constexpr std::size_t kSyncsMax = 2'000;
constexpr std::size_t kSyncsOfStep = 10;
constexpr std::size_t kSyncsFactor = 10;
constexpr std::size_t kSyncsMore = 100;
/// Far more than the decisions of a run end.
constexpr int kProcessesMax = 20;
/// A run with faults may send so many times the requests of the undisturbed one, and so many more:
/// each new process and each lost response has keys synced again.
constexpr std::size_t kRequestsFactor = 4;
constexpr std::size_t kRequestsMore = 40;

bool is_sync_waiting(const testing::Replica& replica) {
  return std::ranges::any_of(replica.hosts(), [](const auto& each) {
    return each->host->runner().has_begun() && each->host->runner().waiting() > 0;
  });
}

class Player {
 public:
  Player(const Scenario& scenario, const Subject& subject, const Plan& plan,
         const RunResult* undisturbed)
      : scenario_(scenario),
        subject_(subject),
        plan_(plan),
        undisturbed_(undisturbed),
        world_(scenario, plan, undisturbed, [this](Process& process) { suspend(process); }),
        administrator_(world_, scenario) {
    if (undisturbed_ == nullptr) return;
    for (const Decision& each : plan_) {
      check_resource(each);
      if (!stops_caches(each)) continue;
      const std::vector<std::string>& all = undisturbed_->watched;
      Stop stop{&each, {all.begin(), all.end()}};
      if (!each.resource.empty()) stop.resources = {full_name(world_.server(), each.resource)};
      const std::size_t shown = changes_before(*undisturbed_, each.number, stop.resources);
      stop.shown = shown - std::min(shown, static_cast<std::size_t>(each.behind));
      stops_.push_back(std::move(stop));
    }
  }

  RunResult play() {
    if (has_given_up_) return std::move(world_.result());
    const Status named =
        world_.server().put(Json::object({{"apiVersion", "v1"},
                                          {"kind", "Namespace"},
                                          {"metadata", Json::object({{"name", scenario_.name}})},
                                          {"status", Json::object({{"phase", "Active"}})}}));
    if (!named.ok()) give_up(scenario_.place + ": " + named.message());
    for (const Step& each : scenario_.cluster) {
      if (!has_given_up_) take(each);
    }
    if (has_given_up_) return std::move(world_.result());
    world_.result().made_before_start = world_.result().made.size();
    leader_ = next_process(nullptr);
    started_ = leader_->start(Process::Start::kCold);
    run_until_idle(leader_);
    for (const Step& each : scenario_.steps) {
      if (has_given_up_) break;
      take(each);
    }
    judge();
    RunResult& result = world_.result();
    result.counts = world_.content().seen();
    result.syncs = syncs_;
    leader_.reset();
    return std::move(result);
  }

 private:
  using Owner = std::unique_ptr<Process>;

  /// `cause`: what ended the last one; null: nothing did.
  [[nodiscard]] Owner next_process(const Decision* cause) {
    Process::Options options;
    constexpr int kLetters = 26;
    options.name = std::string(1, static_cast<char>('A' + names_ % kLetters));
    if (names_ >= kLetters) options.name += std::to_string(names_ / kLetters);
    ++names_;
    options.departed = departed_;
    if (cause != nullptr) {
      options.behind = cause->behind;
      options.behind_in = cause->resource;
    }
    return std::make_unique<Process>(world_, subject_, std::move(options));
  }

  /// The scenario cannot be played.
  void give_up(const std::string& why) {
    world_.violate("scenario", why);
    has_given_up_ = true;
  }
  /// Gives up if no cache of the undisturbed run shows changes of the decision's resource.
  void check_resource(const Decision& decision);
  void take(const Step& step);
  enum class Prepared : std::uint8_t { kTime, kChange };
  void prepare(Prepared next);
  void rest();
  void pass_time(Duration time);
  /// When a key, a timer, a failed list or hidden changes are due.
  [[nodiscard]] std::optional<Time> next_due();
  void wait(const Step& step);
  void run_syncs(std::size_t count);
  void run_until_idle(Owner& process);
  enum class Worked : std::uint8_t { kNothing, kSomething, kSync };
  Worked work(Owner& process);
  void turn(Process& process);
  /// Stops caches before a change that they are to lack.
  void stop_caches(Process& process);
  /// Carries out what is decided for a later turn, which may not come while the caches stand still.
  bool carry_out_early(Process& process);
  [[nodiscard]] bool is_stopped(const Decision& decision) const;
  void carry_out(const Decision& decision, Process& process);
  bool is_timer_late(Process& process);
  void succeed(Owner& process);
  void suspend(Process& process);
  void judge();
  void judge_end(const std::vector<std::string>& expected, const std::string& when);
  void resync();

  const Scenario& scenario_;
  const Subject& subject_;
  const Plan& plan_;
  const RunResult* const undisturbed_;
  World world_;
  Administrator administrator_;
  Owner leader_;
  int names_ = 0;  // The number of names that processes have got.
  std::vector<std::string> departed_;
  Status started_;  // The last process.
  std::size_t syncs_ = 0;
  /// Caches that stand still because of a decision for a turn.
  struct Stop {
    const Decision* decision = nullptr;
    std::set<std::string> resources;
    std::size_t shown = 0;  // The changes of these that they show.
    bool is_made = false;
    bool is_carried_out = false;
  };
  std::vector<Stop> stops_;
  int late_turns_ = 0;                      // That are left until the caches show everything.
  std::optional<Process::Change> awaited_;  // Before the scenario's next change.
  bool has_lost_changes_ = false;           // The server was restored.
  bool is_restored_ = false;                // Since the scenario's last change.
  bool is_quiet_ = false;                   // Nothing was left to do before the present changes.
  testing::Replica::Order order_ = testing::Replica::Order::kForward;
  bool has_given_up_ = false;
};

void Player::check_resource(const Decision& decision) {
  const std::vector<std::string>& known = undisturbed_->watched;
  const std::string& named = decision.resource;
  const bool is_known = std::ranges::find(known, full_name(world_.server(), named)) != known.end();
  if (named.empty() || is_known) return;
  std::string names;
  for (const std::string& each : known) names += (names.empty() ? ", only of " : ", ") + each;
  give_up(to_text(decision) + ": no cache shows changes of " + named + names);
}

void Player::take(const Step& step) {
  ++world_.result().step;
  const bool changes_nothing = step.action == Action::kRest || step.action == Action::kPass ||
                               step.action == Action::kWait || step.action == Action::kSyncs;
  // Controllers that are disabled stay so while the scenario counts syncs between its changes.
  const bool is_prepared = leader_ != nullptr && step.action != Action::kSyncs;
  if (is_prepared) prepare(changes_nothing ? Prepared::kTime : Prepared::kChange);
  if (changes_nothing) is_quiet_ = step.action != Action::kSyncs;
  switch (step.action) {
    case Action::kRest:
      return rest();
    case Action::kPass:
      return pass_time(step.time);
    case Action::kWait:
      return wait(step);
    case Action::kSyncs:
      return run_syncs(step.count);
    default:
      Status done = administrator_.act(step);
      if (!done.ok() && leader_ != nullptr && undisturbed_ != nullptr) {
        // It may need what the controllers do, who have been held up.
        leader_->take(Process::Change::kBeginAgain);
        rest();
        done = administrator_.act(step);
        if (!done.ok() && has_lost_changes_) {
          // Nothing shows the loss of a write to a controller that waits for its effect.
          pass_time(kLongRest);
          done = administrator_.act(step);
        }
      }
      if (!done.ok()) give_up(done.message());
  }
}

/// Has the controllers disabled, as decided, while the scenario makes its next changes.
void Player::prepare(Prepared next) {
  if (next == Prepared::kTime) return leader_->take(Process::Change::kBeginAgain);
  // Its changes are about what the server has lost.
  if (std::exchange(is_restored_, false)) run_until_idle(leader_);
  if (!is_quiet_) return;
  is_quiet_ = false;  // Further changes belong to it.
  ++world_.result().quiet_changes;
  if (awaited_) leader_->take(*awaited_);
  awaited_.reset();
}

void Player::rest() {
  run_until_idle(leader_);
  pass_time(kRest);
}

std::optional<Time> Player::next_due() {
  const std::optional<Time> due = leader_->replica().next_due();
  const Time hidden_until = world_.result().hidden_until;
  if (hidden_until <= world_.clock().now()) return due;
  return std::min(due.value_or(hidden_until), hidden_until);
}

void Player::pass_time(Duration time) {
  testing::ClusterClock& clock = world_.clock();
  const Time end = clock.now() + time;
  run_until_idle(leader_);
  for (auto due = next_due(); due && *due <= end && !has_given_up_; due = next_due()) {
    clock.move_to(*due);
    run_until_idle(leader_);
  }
  clock.move_to(end);
  run_until_idle(leader_);
}

void Player::wait(const Step& step) {
  constexpr Duration kPiece = std::chrono::seconds(5);
  const Time end = world_.clock().now() + kWaitMax;
  for (;;) {
    run_until_idle(leader_);
    const Result<std::size_t> count = administrator_.count(step);
    if (count && *count == step.count) return;
    if (!count || world_.clock().now() >= end || has_given_up_) {
      return give_up(count ? step.place + ": there are " + std::to_string(*count)
                           : count.error().message());
    }
    pass_time(kPiece);
  }
}

void Player::run_syncs(std::size_t count) {
  const std::size_t end = syncs_ + count;
  while (syncs_ < end && work(leader_) != Worked::kNothing) {
  }
}

/// Lets everything run that is due.
void Player::run_until_idle(Owner& process) {
  while (!has_given_up_ && work(process) != Worked::kNothing) {
  }
}

Player::Worked Player::work(Owner& process) {
  if (!process->has_ended() && !process->keep_lease()) {
    world_.log("  " + process->name() + " has lost the lease");
    process->end();  // As the product does.
  }
  if (process->has_ended()) {
    succeed(process);
    return Worked::kSomething;
  }
  testing::Replica& replica = process->replica();
  stop_caches(*process);
  replica.process_pending();
  if (!is_timer_late(*process) && replica.step(testing::Replica::Work::kTimer)) {
    return Worked::kSomething;
  }
  if (is_sync_waiting(replica)) turn(*process);
  if (replica.sync_once(order_)) {
    const std::size_t steps = scenario_.cluster.size() + scenario_.steps.size();
    const std::size_t limit = std::max(kSyncsMax, kSyncsOfStep * steps);
    const std::size_t most = undisturbed_ == nullptr
                                 ? limit
                                 : std::min(limit, kSyncsFactor * undisturbed_->syncs + kSyncsMore);
    if (++syncs_ <= most) return Worked::kSync;
    world_.violate("never-idle",
                   "the controllers still work after " + std::to_string(most) + " syncs");
    has_given_up_ = true;
    return Worked::kNothing;
  }
  const bool has_worked = carry_out_early(*process) || process->catch_up();
  return has_worked ? Worked::kSomething : Worked::kNothing;
}

/// Does what is decided for the time between two syncs.
void Player::turn(Process& process) {
  if (late_turns_ > 0 && --late_turns_ == 0 && process.catch_up()) {
    process.replica().process_pending();
  }
  if (world_.result().is_last_rest) return;
  PassedPoint point;
  point.point = Point::kTurn;
  const Decision* const decision = world_.pass(std::move(point), process);
  if (decision == nullptr) return;
  for (Stop& each : stops_) {
    if (each.decision == decision && std::exchange(each.is_carried_out, true)) return;
  }
  carry_out(*decision, process);
}

void Player::stop_caches(Process& process) {
  if (world_.result().is_last_rest) return;
  for (Stop& each : stops_) {
    if (each.is_made || each.is_carried_out) continue;
    const std::vector<sandbox::Revision> changes =
        world_.changes_of(each.resources, each.shown + 1);
    if (changes.empty()) continue;
    each.is_made = true;
    process.hold_at(each.decision->resource, changes[each.shown] - 1);
  }
}

bool Player::carry_out_early(Process& process) {
  for (Stop& each : stops_) {
    if (!each.is_made || std::exchange(each.is_carried_out, true)) continue;
    world_.pass_early(*each.decision);
    if (each.decision->choice == Choice::kHold || each.decision->choice == Choice::kLate) continue;
    carry_out(*each.decision, process);
    return true;
  }
  return false;
}

bool Player::is_stopped(const Decision& decision) const {
  return std::ranges::any_of(
      stops_, [&](const Stop& each) { return each.decision == &decision && each.is_made; });
}

void Player::carry_out(const Decision& decision, Process& process) {
  using Change = Process::Change;
  switch (decision.choice) {
    case Choice::kHold:
      return is_stopped(decision) ? void() : process.hold(decision.resource);
    case Choice::kOnly:
      return process.hold(decision.resource, Process::Held::kOthers);
    case Choice::kLate:
      if (is_stopped(decision)) {
        late_turns_ = 1;
        return;
      }
      late_turns_ = 2;  // The next sync runs before the changes that this one makes.
      return process.hold(decision.resource);
    case Choice::kSwap:
      return process.take(Change::kSwap);
    case Choice::kDisable:
      awaited_ = Change::kDisable;
      return;
    case Choice::kUnload:
      awaited_ = Change::kUnload;
      return;
    case Choice::kReverse:
      order_ = testing::Replica::Order::kBackward;
      return;
    case Choice::kRestore:
      is_restored_ = has_lost_changes_ = true;
      world_.restore(static_cast<std::size_t>(decision.behind));
      return process.take(Change::kServerWentBack);
    default:
      return process.take(Change::kEnable);
  }
}

/// Whether a timer that is due waits for a sync, as decided.
bool Player::is_timer_late(Process& process) {
  const testing::Replica& replica = process.replica();
  const Time now = world_.clock().now();
  const bool is_due = std::ranges::any_of(replica.hosts(), [now](const auto& each) {
    const std::optional<Time> due = each->host->runner().timers().queue().next_due();
    return due && *due <= now;
  });
  if (!is_due || !is_sync_waiting(replica) || world_.result().is_last_rest) return false;
  PassedPoint point;
  point.point = Point::kTimer;
  return world_.pass(std::move(point), process) != nullptr;
}

/// Another process takes the place of one that has ended.
void Player::succeed(Owner& process) {
  const Decision* cause = nullptr;
  for (const Decision& each : plan_) {
    const bool is_crash = each.point == Point::kRequest && (each.choice <= Choice::kTakeoverAfter);
    if (is_crash && each.number <= static_cast<int>(world_.result().requests)) cause = &each;
  }
  const bool is_standby = cause != nullptr && (cause->choice == Choice::kTakeoverBefore ||
                                               cause->choice == Choice::kTakeoverAfter);
  if (names_ >= kProcessesMax) {
    world_.violate("start",
                   started_.ok() ? "the processes end again and again" : started_.message());
    has_given_up_ = true;
    return;
  }
  if (!started_.ok()) world_.clock().move_to(world_.clock().now() + kRestartPause);
  departed_.push_back(process->name());
  process = next_process(cause);
  started_ = process->start(is_standby ? Process::Start::kStandby : Process::Start::kCold);
}

/// `process` stands still in the middle of a call, and its watches with it. Another one waits for
/// the end of the lease, does what is to be done, and gives the lease back.
void Player::suspend(Process& process) {
  process.hold("");
  Owner other = next_process(nullptr);
  static_cast<void>(other->start(Process::Start::kStandby));
  run_until_idle(other);
  other->release();
  other->end();
}

void Player::judge_end(const std::vector<std::string>& expected, const std::string& when) {
  const std::string difference = first_difference(expected, world_.content().picture());
  if (!difference.empty()) world_.violate("end", when + ", " + difference);
}

void Player::judge() {
  RunResult& result = world_.result();
  if (has_given_up_) return;
  ++result.step;
  leader_->take(Process::Change::kBeginAgain);
  result.is_last_rest = true;
  rest();
  const bool takes_long = result.has_outage || has_lost_changes_;
  const bool is_unrepaired =
      takes_long && undisturbed_ != nullptr && undisturbed_->end != world_.content().picture();
  if (is_unrepaired) pass_time(kLongRest);
  result.is_last_rest = false;
  result.end = world_.content().picture();
  const bool is_end_judged = undisturbed_ != nullptr && !scenario_.allows("end", "");
  if (is_end_judged) judge_end(undisturbed_->end, "when nothing is left to do");
  resync();
  if (is_end_judged && result.ok()) judge_end(undisturbed_->end, "after a resync");
  if (undisturbed_ == nullptr || scenario_.allows("requests", "")) return;
  const std::size_t limit = kRequestsFactor * undisturbed_->requests + kRequestsMore;
  if (result.requests > limit) {
    world_.violate("requests", "the controllers send " + std::to_string(result.requests) +
                                   " requests, and " + std::to_string(undisturbed_->requests) +
                                   " in the undisturbed run");
  }
}

/// Has every key synced again: a key that was lost shows in what the controllers do then.
void Player::resync() {
  RunResult& result = world_.result();
  testing::Caches& caches = leader_->replica().caches();
  const std::size_t before = world_.changes_of(leader_->followed()).size();
  const std::set<std::string> resources = leader_->followed();
  for (const std::string& each : resources) {
    if (!world_.changes_of({each}).empty()) result.watched.push_back(each);
  }
  world_.log("= resync");
  for (const std::string& each : resources) caches.resync(each);
  run_until_idle(leader_);
  const std::size_t after = world_.changes_of(leader_->followed()).size();
  result.resync_writes = after - std::min(before, after);  // A restored server has fewer.
  if (undisturbed_ == nullptr || scenario_.allows("resync", "")) return;
  if (result.resync_writes > undisturbed_->resync_writes) {
    world_.violate("resync", "a resync of all keys leads to " +
                                 std::to_string(result.resync_writes) + " changes: a key was lost");
  }
}

}  // namespace

RunResult play(const Scenario& scenario, const Subject& subject, const Plan& plan,
               const RunResult* undisturbed) {
  return Player(scenario, subject, plan, undisturbed).play();
}

}  // namespace davit::explore
