#include "host/swap/swap.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "host/swap/config_change.hpp"

namespace davit::host {

constexpr std::array<Swap::Phase, 8> Swap::kPhases = {{
    {SwapPhase::kStage, &Swap::stage, nullptr},
    {SwapPhase::kRefill, &Swap::refill, nullptr},
    {SwapPhase::kFill, &Swap::fill, nullptr},
    {SwapPhase::kDrain, &Swap::drain, &Swap::undo_drain},
    {SwapPhase::kState, &Swap::hand_state, nullptr},
    {SwapPhase::kHandOver, &Swap::hand_over, nullptr},
    {SwapPhase::kServe, &Swap::serve, nullptr},
    {SwapPhase::kRetire, &Swap::retire, nullptr},
}};

Swap::Swap(const SwapParts& parts, SwapRequest request, std::shared_ptr<const KeptCopy> copy)
    : parts_(parts), request_(std::move(request)), copy_(std::move(copy)) {
  report_.plugin = request_.plugin;
}

bool Swap::step() {
  if (next_phase_ == 0 && !admit()) return false;
  const Phase& phase = kPhases[next_phase_];
  if (parts_.observers.on_phase) parts_.observers.on_phase(phase.name);
  if ((this->*phase.act)()) {
    ++next_phase_;
  } else {
    go_back();
  }
  return next_phase_ < kPhases.size();
}

void Swap::go_back() {
  for (std::size_t done = next_phase_ + 1; done > 0; --done) {
    const Phase& phase = kPhases[done - 1];
    if (phase.undo != nullptr) (this->*phase.undo)();
  }
  next_phase_ = kPhases.size() - 1;
}

bool Swap::admit() {
  parts_.retirement.sweep();
  report_.residents = parts_.retirement.residents().size();
  {
    MutexLock lock(parts_.registry.mutex);
    slot_ = parts_.registry.find(request_.plugin);
    if (slot_ == nullptr) {
      std::string names;
      for (const auto& each : parts_.registry.slots) {
        names += (names.empty() ? "" : ", ") + each->name;
      }
      return report_.fail(SwapOutcome::kUnknown,
                          "no plugin " + request_.plugin + " is loaded (loaded: " + names + ")");
    }
    for (const auto& each : slot_->now.controllers) {
      // Its state would be written beside the call.
      if (!is_being_configured(*each, parts_.clock)) continue;
      return report_.fail(SwapOutcome::kConfigTimedOut,
                          "changed() of " + each->host->name() +
                              " has not returned: try again, or restart the host");
    }
    if (request_.file.empty()) request_.file = slot_->file;
    report_.from = slot_->now.build();
    was_leading_ = parts_.registry.leading;
  }
  if (report_.residents >= parts_.limits.residents_max) {
    return report_.fail(SwapOutcome::kTooManyResident,
                        std::to_string(report_.residents) +
                            " builds could not be unloaded, which is the limit: restart the host "
                            "(davit ctl status names them)");
  }
  // Before anything changes: a build without its probation must not serve.
  if (!probation_terms() || parts_.probations.ensure_thread()) return true;
  return report_.fail(SwapOutcome::kInitFailed,
                      "cannot start a thread to check the new build: try again");
}

bool Swap::stage() {
  parts_.shadows.end(request_.plugin);
  BuildOrder order;
  order.plugin = request_.plugin;
  order.file = request_.file;
  order.staging = parts_.limits.staging;
  order.copy = copy_;
  order.terms.name = request_.plugin;
  order.terms.signatures = parts_.limits.signatures;
  order.terms.trial = parts_.limits.trial;
  {
    MutexLock lock(parts_.registry.mutex);
    order.terms.sha256 = request_.sha256.value_or(slot_->sha256);
    if (!request_.digest.empty()) order.terms.sha256 = request_.digest;
    order.generation = ++slot_->generations;
    order.controllers = slot_->controllers();
  }
  const std::vector<std::string> running = order.controllers;
  const bool built = parts_.preparation.stage(std::move(order), next_, report_);
  if (next_.plugin == nullptr) return built;
  for (const DeclaredController& each : next_.plugin->declaration().controllers) {
    if (std::find(running.begin(), running.end(), each.name) == running.end()) {
      report_.not_started.push_back(each.name);
    }
  }
  return built && judge_states();
}

bool Swap::refill() { return parts_.preparation.refill(next_, report_); }

bool Swap::fill() { return parts_.preparation.fill(next_, report_); }

bool Swap::drain() {
  std::vector<ControllerHost*> old;
  {
    MutexLock lock(parts_.registry.mutex);
    for (const auto& each : slot_->now.controllers) old.push_back(each->host.get());
  }
  drain_began_ = parts_.clock.now();
  const Time deadline = drain_began_ + parts_.limits.drain;
  for (ControllerHost* each : old) {
    if (each->drain(deadline)) continue;
    const Status why = each->runner().overdue(parts_.clock.now() - drain_began_);
    return report_.fail(SwapOutcome::kDrainTimedOut,
                        "a sync of " + each->name() + " did not return in time" +
                            (why.ok() ? "" : " (" + why.message() + ")"));
  }
  drained_ = parts_.clock.now();
  report_.drain = drained_ - drain_began_;
  return true;
}

void Swap::undo_drain() {
  MutexLock lock(parts_.registry.mutex);
  parts_.registry.resume(*slot_);
}

std::vector<Swap::StatePair> Swap::state_pairs() {
  std::vector<StatePair> pairs;
  if (request_.memory == SwapRequest::Memory::kLeave) return pairs;
  MutexLock lock(parts_.registry.mutex);
  for (const auto& each : next_.controllers) {
    pairs.push_back({*slot_->now.find(each->host->name()), *each});
  }
  return pairs;
}

bool Swap::note(const std::string& controller, const StateHandOver& state) {
  using End = StateHandOver::End;
  if (state.end != End::kRefused && state.end != End::kTimedOut) return true;
  const bool is_late = state.end == End::kTimedOut;
  return report_.fail(is_late ? SwapOutcome::kStateTimedOut : SwapOutcome::kStateRefused,
                      "controller " + controller + ": " + state.text);
}

/// Judges the states before the drain, so that a refusal causes no pause.
bool Swap::judge_states() {
  for (const StatePair& each : state_pairs()) {
    const StateHandOver judged = judge_state(*each.from.host, *each.to.host);
    const std::string& name = each.to.host->name();
    if (judged.end == StateHandOver::End::kLeft) report_.state_left.push_back(name);
    if (!note(name, judged)) return false;
  }
  return true;
}

bool Swap::hand_state() {
  const Time deadline = parts_.clock.now() + parts_.limits.state;
  for (const StatePair& each : state_pairs()) {
    const StateHandOver handed =
        davit::host::hand_state(each.from, each.to, parts_.clock, deadline);
    report_.state_bytes += handed.bytes;
    if (!note(each.to.host->name(), handed)) return false;
  }
  return true;
}

bool Swap::hand_over() {
  std::vector<ControllerHandOver::HandedOver> handed;  // Destroyed when the new build serves.
  std::vector<Beginning> beginnings;
  {
    MutexLock lock(parts_.registry.mutex);
    if (parts_.registry.stopping) {
      return report_.fail(SwapOutcome::kStopping, "the host is stopping");
    }
    if (was_leading_ && !parts_.registry.leading) {
      return report_.fail(SwapOutcome::kLeadershipLost, "leadership was lost during the swap");
    }
    // No sync of either build runs now, and calls by name wait for the lock.
    for (const auto& each : next_.controllers) {
      const HostedController& old = *slot_->now.find(each->host->name());
      handed.push_back(each->host->hand_over().take_over(old.host->hand_over()));
      report_.keys += handed.back().kept;
      report_.keys_dropped += handed.back().dropped;
      each->began = beginning(old, *each, handed.back());
    }
    std::swap(slot_->now, next_);
    if (copy_ == nullptr) slot_->file = request_.file;
    slot_->sha256 = request_.sha256.value_or(slot_->sha256);
    for (const auto& each : slot_->now.controllers) {
      beginnings.push_back(parts_.registry.begin(*slot_, *each, each->began));
    }
    begin_probation();
  }
  for (const Beginning& each : beginnings) each.carry_out();
  report_.pause = parts_.clock.now() - drained_;
  report_.text = "generation " + std::to_string(report_.to.generation) + " serves";
  return true;
}

/// A new build continues what the old one began. It begins again if nothing is known of the old
/// one's last writes: they belong to a queue or timer that it lacks, or a failed build made them.
std::optional<Time> Swap::beginning(const HostedController& old, const HostedController& next,
                                    const ControllerHandOver::HandedOver& handed) const {
  const Time now = parts_.clock.now();
  if (handed.has_lost_writes && !mutant("begin-anew")) return now;
  const std::optional<Time> again = parts_.registry.beginning(*next.host, now);
  return copy_ != nullptr && again ? again : old.began;
}

std::optional<ProbationTerms> Swap::probation_terms() const {
  // A rolled-back build gets no probation.
  if (copy_ != nullptr) return std::nullopt;
  const ProbationTerms terms = request_.probation.value_or(parts_.limits.probation);
  if (terms.time <= Duration::zero()) return std::nullopt;
  return terms;
}

void Swap::begin_probation() {
  if (copy_ != nullptr) return;  // The failed build's probation ends with the way back.
  parts_.probations.end(*slot_, Probation::End::kSuperseded, "another build replaced it");
  const std::optional<ProbationTerms> terms = probation_terms();
  if (!terms) return;
  const LoadedPlugin& before = *next_.plugin;
  probation_ =
      std::make_shared<Probation>(Probation{*terms, parts_.clock.now(), report_.to, before.copy(),
                                            before.file().path, before.declaration().version});
  parts_.probations.begin(*slot_, probation_);
}

/// The new build serves since hand_over(); this reports its controllers.
bool Swap::serve() {
  std::vector<std::string> names;
  {
    MutexLock lock(parts_.registry.mutex);
    names = slot_->controllers();
  }
  parts_.observers.report_up(names);
  return true;
}

bool Swap::retire() {
  if (next_.plugin != nullptr) report_.note(parts_.preparation.retire(std::move(next_)));
  report_.residents = parts_.retirement.residents().size();
  return true;
}

}  // namespace davit::host
