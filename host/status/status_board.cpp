#include "host/status/status_board.hpp"

#include <utility>

namespace davit::host {
namespace {

double seconds_between(Time from, Time to) {
  return std::chrono::duration<double>(to - from).count();
}

void append(std::vector<double>& values, double value) {
  if (values.size() >= StatusBoard::kHistory) values.erase(values.begin());
  values.push_back(value);
}

}  // namespace

ControllerRates StatusBoard::rates_of(const ControllerState& controller, std::uint64_t generation,
                                      Time now) {
  const Past next{now, generation, controller.syncs.syncs, controller.syncs.errors,
                  controller.use.cpu};
  const auto [at, is_new] = past_.try_emplace(controller.name, next);
  const Past last = std::exchange(at->second, next);
  const double time = seconds_between(last.when, now);
  // Another build counts from 0.
  if (is_new || last.generation != generation || time <= 0 || next.syncs < last.syncs) return {};
  return {static_cast<double>(next.syncs - last.syncs) / time,
          static_cast<double>(next.errors - last.errors) / time,
          std::chrono::duration<double>(next.cpu - last.cpu).count() / time};
}

void StatusBoard::sample(HostStatus status) {
  MutexLock lock(mutex_);
  const double time = seconds_between(view_.status.now, status.now);
  if (time <= 0) return;
  const bool is_first = view_.status.now == Time{};
  view_.cpu = is_first ? 0 : (status.cpu_seconds - view_.status.cpu_seconds) / time;
  view_.rates.clear();
  double waiting = 0;
  ControllerRates sum;
  for (const PluginState& plugin : status.set.plugins) {
    for (const ControllerState& each : plugin.controllers) {
      const ControllerRates rates = rates_of(each, plugin.build.generation, status.now);
      sum.syncs += rates.syncs;
      sum.errors += rates.errors;
      waiting += static_cast<double>(each.waiting);
      view_.rates.push_back(rates);
    }
  }
  append(view_.history.syncs, sum.syncs);
  append(view_.history.errors, sum.errors);
  append(view_.history.waiting, waiting);
  append(view_.history.memory, static_cast<double>(status.resident_bytes));
  view_.status = std::move(status);
  has_writes_ = false;
  json_.reset();
  page_.reset();
}

void StatusBoard::swapped(const SwapReport& report, WallTime when) {
  MutexLock lock(mutex_);
  view_.swaps.insert(view_.swaps.begin(),
                     {when, report.plugin, std::string(to_string(report.outcome)), report.text,
                      report.from.generation, report.to.generation, report.pause});
  if (view_.swaps.size() > kSwaps) view_.swaps.pop_back();
  json_.reset();
  page_.reset();
}

void StatusBoard::look_up_writes() {
  {
    MutexLock lock(mutex_);
    if (has_writes_ || !writes_) return;
    has_writes_ = true;
  }
  std::vector<RecentWrite> found = writes_();
  MutexLock lock(mutex_);
  view_.writes = std::move(found);
  json_.reset();
  page_.reset();
}

std::string StatusBoard::json() {
  look_up_writes();
  MutexLock lock(mutex_);
  if (!json_) json_ = status_json(view_);
  return *json_;
}

std::string StatusBoard::page() {
  look_up_writes();
  MutexLock lock(mutex_);
  if (!page_) page_ = status_page(view_);
  return *page_;
}

}  // namespace davit::host
