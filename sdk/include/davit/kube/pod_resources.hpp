/// The requests and limits of a pod, as the scheduler and quotas count them. Pure;
/// k8s.io/component-helpers/resource, PodRequests and PodLimits.
#pragma once

#include <cstdint>
#include <davit/kube/quantity.hpp>
#include <davit/names.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// The name of a resource → amount. `Number` is davit::Quantity, or davit::Amount if the sum is
/// written.
template <typename Number = Quantity>
using ResourceList = std::map<std::string, Number, std::less<>>;

/// The members of an object that are quantities, written as strings or as numbers.
template <typename Number = Quantity, typename V>
[[nodiscard]] ResourceList<Number> read_resources(V list) {
  ResourceList<Number> out;
  for (const auto& each : list.members()) {
    if (const auto number = Number::read(each.value)) out.emplace(each.key, *number);
  }
  return out;
}

/// Adds name by name.
template <typename Number>
void add_resources(ResourceList<Number>& sum, const ResourceList<Number>& more) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

/// Subtracts name by name.
template <typename Number>
void subtract_resources(ResourceList<Number>& from, const ResourceList<Number>& less) {
  for (const auto& [name, amount] : less) from[name] -= amount;
}

/// The amount of one resource; zero if it is not listed.
template <typename Number>
[[nodiscard]] Number resource_amount(const ResourceList<Number>& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? Number() : found->second;
}

/// Keeps the larger one of each name.
template <typename Number>
void raise_resources(ResourceList<Number>& to, const ResourceList<Number>& least) {
  for (const auto& [name, amount] : least) {
    const auto [at, is_new] = to.try_emplace(name, amount);
    if (!is_new && at->second < amount) at->second = amount;
  }
}

/// A list of the resources of a container or pod.
enum class ResourceSide : std::uint8_t { kRequests, kLimits };

/// Whether a container that runs counts by its spec alone, or also by the resources that it has
/// got according to the status (upstream's UseStatusResources).
enum class ResourceSource : std::uint8_t { kSpecAndStatus, kSpec };

/// "requests" or "limits".
[[nodiscard]] constexpr std::string_view side_text(ResourceSide side) {
  return side == ResourceSide::kRequests ? "requests" : "limits";
}

namespace detail {

/// The containers' part of pod_resources().
template <typename Number, typename V>
class PodResourceSum {
 public:
  PodResourceSum(V pod, ResourceSide side, ResourceSource source)
      : spec_(pod[&Names::spec]), status_(pod[&Names::status]), side_(side), source_(source) {
    // Whether the node can never give the pod the resources that its spec asks for.
    for (const V each : status_[&Names::conditions].elements()) {
      if (each[&Names::type].string() == "PodResizePending")
        is_infeasible_ = each[&Names::reason].string() == "Infeasible";
    }
  }

  [[nodiscard]] ResourceList<Number> sum() const {
    ResourceList<Number> sum;
    for (const V each : spec_[&Names::containers].elements()) add_resources(sum, of_running(each));
    ResourceList<Number> sidecars;  // Those that run already when the next init container starts.
    ResourceList<Number> highest;
    for (const V each : spec_[&Names::init_containers].elements()) {
      if (each[&Names::restart_policy].string() == "Always") {
        const ResourceList<Number> own = of_running(each);
        add_resources(sum, own);
        add_resources(sidecars, own);
        raise_resources(highest, sidecars);
      } else {
        ResourceList<Number> together = in_spec(each);
        add_resources(together, sidecars);
        raise_resources(highest, together);
      }
    }
    raise_resources(sum, highest);
    return sum;
  }

 private:
  [[nodiscard]] ResourceList<Number> in_spec(V container) const {
    return read_resources<Number>(container["resources"][side_text(side_)]);
  }

  /// The status of the container with this name, or an absent value.
  [[nodiscard]] V status_of(std::string_view name) const {
    for (const V list :
         {status_[&Names::container_statuses], status_[&Names::init_container_statuses]}) {
      for (const V each : list.elements()) {
        if (each[&Names::name].string() == name) return each;
      }
    }
    return {};
  }

  /// The resources of a container that may change while it runs: those of the spec or those that
  /// it has got, whichever are more.
  [[nodiscard]] ResourceList<Number> of_running(V container) const {
    ResourceList<Number> out = in_spec(container);
    if (source_ == ResourceSource::kSpec) return out;
    const V status = status_of(container[&Names::name].string());
    const V actual = status["resources"];
    if (actual.kind() != decltype(actual.kind())::kObject) return out;
    if (is_infeasible_) out.clear();
    raise_resources(out, read_resources<Number>(actual[side_text(side_)]));
    if (side_ == ResourceSide::kRequests)
      raise_resources(out, read_resources<Number>(status["allocatedResources"]));
    return out;
  }

  V spec_;
  V status_;
  ResourceSide side_;
  ResourceSource source_;
  bool is_infeasible_ = false;
};

}  // namespace detail

/// `pod`: a Pod as davit::Value, or as a type that reads another tree in the same way.
/// Rule: docs/spec/resourcequota.md, section 8.3.
template <typename Number = Quantity, typename V>
[[nodiscard]] ResourceList<Number> pod_resources(
    V pod, ResourceSide side, ResourceSource source = ResourceSource::kSpecAndStatus) {
  ResourceList<Number> out = detail::PodResourceSum<Number, V>(pod, side, source).sum();
  const V spec = pod[&Names::spec];
  for (const auto& [name, amount] : read_resources<Number>(spec["resources"][side_text(side)])) {
    const bool is_of_pods = name == "cpu" || name == "memory" || name.starts_with("hugepages-");
    if (is_of_pods) out[name] = amount;
  }
  for (const auto& [name, amount] : read_resources<Number>(spec["overhead"])) {
    if (side == ResourceSide::kRequests) {
      out[name] += amount;
    } else if (const auto limit = out.find(name); limit != out.end() && limit->second != Number()) {
      limit->second += amount;
    }
  }
  return out;
}

}  // namespace davit
