#include "plugins/cloud/route_pass.hpp"

#include <davit/mutant.hpp>
#include <utility>

namespace davit::cloud {

RoutePass::Pass::Pass(RoutePlan all, const Beginning& beginning)
    : plan(std::move(all)), generation(beginning.generation), creates(!plan.removes_first) {
  results.began = beginning.at;
  results.nodes = std::move(plan.nodes);
}

std::vector<std::string> RoutePass::open(Pass& pass) {
  std::vector<std::string> out;
  for (const auto& [destination, work] : pass.plan.work) {
    const bool has_step = !work.remove.empty() || (pass.creates && !work.create.empty());
    if (has_step && pass.open.insert(destination).second) out.push_back(destination);
  }
  return out;
}

std::vector<std::string> RoutePass::begin(RoutePlan plan, const Beginning& beginning) {
  const std::lock_guard lock(mutex_);
  Pass& pass = pass_.emplace(std::move(plan), beginning);
  std::vector<std::string> out = open(pass);
  if (!out.empty()) return out;
  pass.creates = true;  // There is nothing to remove.
  return open(pass);
}

bool RoutePass::is_under_way() const {
  const std::lock_guard lock(mutex_);
  return pass_.has_value();
}

std::optional<RoutePass::Step> RoutePass::next(const std::string& destination,
                                               std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  if (!pass_) return std::nullopt;
  if (generation != pass_->generation && !mutant("route-step-of-another-provider")) {
    pass_->results.is_void = true;
    pass_->plan.work.clear();
  }
  const auto work = pass_->plan.work.find(destination);
  if (work == pass_->plan.work.end()) return std::nullopt;
  if (!work->second.remove.empty()) return Step{.remove = work->second.remove.front()};
  if (!pass_->creates || work->second.create.empty()) return std::nullopt;
  return Step{.create = work->second.create.front()};
}

void RoutePass::took(const std::string& destination, const Step& step, StepResult result) {
  const std::lock_guard lock(mutex_);
  if (!pass_ || pass_->results.is_void) return;
  DestinationWork& work = pass_->plan.work[destination];
  if (step.remove) {
    work.remove.erase(work.remove.begin());
    if (result == StepResult::kFailed) ++pass_->results.removals_failed;
    return;
  }
  work.create.erase(work.create.begin());
  const CloudRoute& route = step.create->route;
  if (result == StepResult::kDone) {
    pass_->results.nodes[route.node].missing.erase(route.destination);
  }
}

RoutePass::Progress RoutePass::finish(const std::string& destination) {
  const std::lock_guard lock(mutex_);
  if (!pass_ || pass_->open.erase(destination) == 0) return {};
  Progress out;
  if (!pass_->open.empty()) return out;
  if (!pass_->creates) {
    pass_->creates = true;
    out.next = open(*pass_);
  }
  out.is_over = out.next.empty();
  return out;
}

std::optional<RoutePass::Results> RoutePass::results() const {
  const std::lock_guard lock(mutex_);
  if (!pass_ || !pass_->open.empty()) return std::nullopt;
  return pass_->results;
}

void RoutePass::end() {
  const std::lock_guard lock(mutex_);
  pass_.reset();
}

}  // namespace davit::cloud
