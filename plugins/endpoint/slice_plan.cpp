#include "plugins/endpoint/slice_plan.hpp"

#include <algorithm>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plugins/endpoint/slice_object.hpp"

namespace davit::endpoint {

namespace {

using Content = PlannedSlice::Content;

/// The endpoints of one group that no slice has yet, in their order.
class Unplaced {
 public:
  explicit Unplaced(std::vector<SliceEndpoint> wanted)
      : wanted_(std::move(wanted)), placed_(wanted_.size(), false), left_(wanted_.size()) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) places_.emplace(wanted_[i].identity(), i);
    // Two of one identity are one endpoint: the first one counts.
    if (places_.size() != wanted_.size()) {
      for (std::size_t i = 0; i < wanted_.size(); ++i) {
        if (places_.at(wanted_[i].identity()) != i) mark(i);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return left_; }

  /// The wanted form of a stored endpoint; null when it is not wanted or has its place already.
  const SliceEndpoint* match(const SliceEndpoint& stored) {
    const auto found = places_.find(stored.identity());
    if (found == places_.end() || placed_[found->second]) return nullptr;
    mark(found->second);
    return &wanted_[found->second];
  }

  void move_to(std::vector<SliceEndpoint>& endpoints, std::size_t count) {
    for (; count > 0 && left_ > 0; --count) {
      while (placed_[next_]) ++next_;
      mark(next_);
      endpoints.push_back(std::move(wanted_[next_]));
    }
  }

 private:
  void mark(std::size_t place) {
    placed_[place] = true;
    --left_;
  }

  std::vector<SliceEndpoint> wanted_;
  std::vector<bool> placed_;
  std::size_t left_;
  std::size_t next_ = 0;
  std::unordered_map<std::string, std::size_t> places_;
};

/// One group of endpoints with the same ports (reconcileByPortMapping).
class GroupPlan {
 public:
  GroupPlan(const Service& service, SlicePorts ports, std::vector<SliceEndpoint> wanted,
            std::size_t endpoints_max)
      : service_(service),
        ports_(in_written_order(std::move(ports))),
        max_(endpoints_max),
        unplaced_(std::move(wanted)) {}

  /// Step 1: which endpoints stay, and which are no longer wanted.
  void keep(const EndpointSlice& stored, SlicePlan& plan) {
    PlannedSlice slice{.stored = stored, .name = {}, .ports = {}, .endpoints = {}};
    std::vector<SliceEndpoint> kept;
    std::size_t dropped = 0;
    bool differs = false;
    for (const Value each : stored.endpoints().elements()) {
      slice.endpoints.push_back(SliceEndpoint::read(each));
      const SliceEndpoint* wanted = unplaced_.match(slice.endpoints.back());
      if (wanted == nullptr) {
        ++dropped;
        continue;
      }
      differs = differs || !wanted->same_state(slice.endpoints.back());
      kept.push_back(*wanted);
    }
    plan.removed += dropped;
    if (dropped == 0 && !differs) {
      slice.content = Content::kAsStored;
      (has_labels_of(stored, service_) ? unchanged_ : update_).push_back(std::move(slice));
    } else if (kept.empty()) {
      plan.remove.push_back(stored);
    } else {
      slice.endpoints = std::move(kept);
      update_.push_back(std::move(slice));
    }
  }

  /// Steps 2 and 3: a place for each of the rest.
  void place_rest(SlicePlan& plan) {
    plan.added += unplaced_.size();
    fill_written();
    while (unplaced_.size() > 0) {
      const auto with_space = best_unchanged();
      if (with_space != unchanged_.end()) {
        add(*with_space, unplaced_.size());
        update_.push_back(std::move(*with_space));
        unchanged_.erase(with_space);
        continue;
      }
      PlannedSlice fresh;
      fresh.ports = ports_;
      unplaced_.move_to(fresh.endpoints, max_);
      plan.create.push_back(std::move(fresh));
    }
    std::move(update_.begin(), update_.end(), std::back_inserter(plan.update));
    std::move(unchanged_.begin(), unchanged_.end(), std::back_inserter(plan.unchanged));
  }

 private:
  void fill_written() {
    if (unplaced_.size() == 0) return;
    std::stable_sort(update_.begin(), update_.end(), [](const auto& a, const auto& b) {
      return a.endpoints.size() > b.endpoints.size();
    });
    for (PlannedSlice& each : update_) {
      if (each.endpoints.size() < max_) add(each, max_ - each.endpoints.size());
    }
  }
  /// The unchanged slice that takes all that is left and has the least room after it.
  [[nodiscard]] std::vector<PlannedSlice>::iterator best_unchanged() {
    auto best = unchanged_.end();
    if (unplaced_.size() >= max_) return best;  // Upstream's rule: a full slice is a new one.
    for (auto at = unchanged_.begin(); at != unchanged_.end(); ++at) {
      if (at->endpoints.size() + unplaced_.size() > max_) continue;
      if (best == unchanged_.end() || at->endpoints.size() > best->endpoints.size()) best = at;
    }
    return best;
  }
  void add(PlannedSlice& slice, std::size_t count) {
    if (unplaced_.size() == 0) return;
    unplaced_.move_to(slice.endpoints, count);
    slice.content = Content::kPlanned;
  }

  const Service& service_;
  const SlicePorts ports_;
  const std::size_t max_;
  Unplaced unplaced_;
  std::vector<PlannedSlice> update_;
  std::vector<PlannedSlice> unchanged_;
};

void count_wanted(const PortGroups& wanted, std::size_t endpoints_max, SlicePlan& plan) {
  for (const auto& [ports, endpoints] : wanted) {
    plan.endpoints_wanted += endpoints.size();
    plan.slices_least += (endpoints.size() + endpoints_max - 1) / endpoints_max;
  }
}

/// There is always one slice at least (spec 9.2).
void keep_placeholder(const Service& service, std::size_t listed, SlicePlan& plan) {
  if (listed != plan.remove.size() || !plan.create.empty()) return;
  if (plan.remove.size() == 1 && is_placeholder(plan.remove.front(), service)) {
    PlannedSlice kept{.stored = plan.remove.front(), .name = {}, .ports = {}, .endpoints = {}};
    kept.content = Content::kAsStored;
    plan.unchanged.push_back(std::move(kept));
    plan.remove.clear();
  } else {
    plan.create.emplace_back();
  }
}

}  // namespace

SlicePlan plan_slices(const Service& service, std::span<const EndpointSlice> stored,
                      PortGroups wanted, std::size_t endpoints_max) {
  SlicePlan plan;
  count_wanted(wanted, endpoints_max, plan);
  std::map<SlicePorts, std::vector<EndpointSlice>> by_ports;
  for (const EndpointSlice& each : stored) {
    if (is_owned_by(each, service)) {
      by_ports[as_group(read_slice_ports(each.ports()))].push_back(each);
    } else {
      plan.remove.push_back(each);
    }
  }
  for (auto& [ports, endpoints] : wanted) {
    GroupPlan group(service, ports, std::move(endpoints), endpoints_max);
    const auto present = by_ports.extract(ports);
    if (present) {
      for (const EndpointSlice& each : present.mapped()) group.keep(each, plan);
    }
    group.place_rest(plan);
  }
  for (const auto& [ports, slices] : by_ports) {
    plan.remove.insert(plan.remove.end(), slices.begin(), slices.end());
  }
  keep_placeholder(service, stored.size(), plan);
  return plan;
}

void reuse_names(SlicePlan& plan, const Service& service) {
  std::vector<EndpointSlice> rest;
  for (const EndpointSlice& each : plan.remove) {
    if (plan.create.empty() || !is_owned_by(each, service)) {
      rest.push_back(each);
      continue;
    }
    PlannedSlice renewed = std::move(plan.create.back());
    plan.create.pop_back();
    renewed.name = each.name();
    plan.update.push_back(std::move(renewed));
  }
  plan.remove = std::move(rest);
}

}  // namespace davit::endpoint
