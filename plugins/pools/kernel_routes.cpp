#include "plugins/pools/kernel_routes.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "plugins/pools/addresses.hpp"

namespace davit::pools {
namespace {

/// The routes of one protocol to one destination, which differ by their metrics: davit makes one.
constexpr int kRoutesToOneMax = 16;

/// The CIDRs of all Nodes as their specs have them, by their canonical texts. The loop knows a
/// route by the text of the spec, which may be another one.
struct Owned {
  const RouteTarget* node;
  const std::string* text;
};
using Cidrs = std::multimap<std::string, Owned, std::less<>>;

Cidrs cidrs_of(const std::vector<RouteTarget>& all) {
  Cidrs out;
  for (const RouteTarget& node : all) {
    for (const std::string& each : node.cidrs) {
      if (const auto prefix = ip::Prefix::parse(each))
        out.emplace(prefix->text(), Owned{&node, &each});
    }
  }
  return out;
}

/// The Node to which a route leads: the one that has the destination, if several have the address.
const RouteTarget* target_of(const std::vector<RouteTarget>& all, const KernelRoute& route) {
  if (!route.gateway) return nullptr;
  const std::string destination = route.destination.text();
  const std::string gateway = route.gateway->text();
  const auto found = std::find_if(all.begin(), all.end(), [&](const RouteTarget& each) {
    return next_hop(each.addresses, destination) == gateway;
  });
  return found == all.end() ? nullptr : &*found;
}

const RouteTarget* target_named(const std::vector<RouteTarget>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&name](const RouteTarget& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

CloudRoute route_to(const std::string& destination, const RouteTarget* target) {
  CloudRoute out{.name = destination, .node = {}, .destination = destination};
  out.follows_addresses = true;
  if (target == nullptr) return out;
  out.node = target->name;
  out.addresses = target->addresses;
  return out;
}

/// A route of the kernel as the loop knows it.
CloudRoute route_of(const KernelRoute& route, const std::vector<RouteTarget>& all,
                    const Cidrs& cidrs) {
  const std::string destination = route.destination.text();
  const auto [begin, end] = cidrs.equal_range(destination);
  for (auto each = begin; each != end && route.gateway; ++each) {
    const Owned& owned = each->second;
    if (next_hop(owned.node->addresses, destination) == route.gateway->text()) {
      return route_to(*owned.text, owned.node);
    }
  }
  return route_to(begin == end ? destination : *begin->second.text, target_of(all, route));
}

}  // namespace

CloudReply KernelRoutes::list(std::string_view /*cluster*/) {
  Result<Netlink> kernel = Netlink::open();
  if (!kernel) return CloudReply::failed(kernel.error());
  const Result<std::vector<RouteTarget>> known = targets_();
  if (!known) return CloudReply::failed(known.error());
  const std::vector<RouteTarget>& targets = *known;
  const Cidrs cidrs = cidrs_of(targets);
  std::vector<CloudRoute> out;
  for (const Family family : kFamilies) {
    const Result<std::vector<KernelRoute>> all =
        kernel->routes({family, settings_.table, settings_.protocol});
    if (!all) return CloudReply::failed(all.error());
    for (const KernelRoute& each : *all) out.push_back(route_of(each, targets, cidrs));
  }
  if (Status s = list_local(*kernel, targets, out); !s.ok())
    return CloudReply::failed(std::move(s));
  Look made = look(*kernel, targets, out);
  const std::lock_guard lock(mutex_);
  look_ = std::move(made);
  return CloudReply::with(out);
}

Status KernelRoutes::list_local(Netlink& kernel, const std::vector<RouteTarget>& targets,
                                std::vector<CloudRoute>& out) {
  AddressSet own;
  for (const Family family : kFamilies) {
    const Result<AddressSet> all = kernel.own_addresses(family);
    if (!all) return all.error();
    own.insert(all->begin(), all->end());
  }
  const std::lock_guard lock(mutex_);
  // One that has moved to another machine needs a route from now on.
  std::erase_if(local_, [&own](const auto& each) {
    const std::optional<Address> hop = Address::parse(each.second.hop);
    return !hop || !own.contains(*hop);
  });
  for (const auto& [destination, line] : local_) {
    const RouteTarget* const target = target_named(targets, line.node);
    CloudRoute& route = out.emplace_back(route_to(destination, target));
    // The Node may have got the address of another machine.
    if (target != nullptr && next_hop(target->addresses, destination) != line.hop) {
      route.addresses = {{"InternalIP", line.hop}};
    }
  }
  return {};
}

KernelRoutes::Look KernelRoutes::look(Netlink& kernel, const std::vector<RouteTarget>& targets,
                                      const std::vector<CloudRoute>& listed) const {
  std::set<std::string, std::less<>> present;
  for (const CloudRoute& each : listed) present.insert(each.destination);
  std::map<Family, std::set<std::string>> wanted;
  std::set<Family> lacking;
  for (const RouteTarget& node : targets) {
    for (const std::string& each : node.cidrs) {
      const std::optional<ip::Prefix> prefix = ip::Prefix::parse(each);
      if (!prefix) continue;
      wanted[prefix->family()].insert(prefix->text());
      if (!present.contains(each) && next_hop(node.addresses, each)) {
        lacking.insert(prefix->family());
      }
    }
  }
  Look made;
  for (const Family family : lacking) {
    const auto all = everyone_(kernel, {family, settings_.table, 0});
    if (!all) return {};
    made.destinations.insert(wanted[family].begin(), wanted[family].end());
    for (const KernelRoute& each : *all) {
      std::string destination = each.destination.text();
      if (made.destinations.contains(destination)) made.routes.emplace(destination, each);
    }
  }
  return made;
}

Result<std::vector<KernelRoute>> KernelRoutes::present(Netlink& kernel,
                                                       const ip::Prefix& destination) {
  const std::string text = destination.text();
  std::vector<KernelRoute> out;
  {
    const std::lock_guard lock(mutex_);
    if (look_.destinations.contains(text)) {
      const auto [begin, end] = look_.routes.equal_range(text);
      for (auto each = begin; each != end; ++each) out.push_back(each->second);
      return out;
    }
  }
  auto all = everyone_(kernel, {destination.family(), settings_.table, 0});
  if (all) std::erase_if(*all, [&](const auto& each) { return each.destination.text() != text; });
  return all;
}

CloudReply KernelRoutes::create(const CloudRouteCall& at) {
  const CloudRoute& route = at.route;
  const Result<std::string> hop = next_hop(route);
  if (!hop) return CloudReply::failed(hop.error());
  Status done = set(route, *Address::parse(*hop));
  return done.ok() ? CloudReply::done() : CloudReply::failed(std::move(done));
}

Status KernelRoutes::set(const CloudRoute& route, const Address& hop) {
  Result<Netlink> kernel = Netlink::open();
  if (!kernel) return kernel.error();
  const Result<AddressSet> own = kernel->own_addresses(hop.family);
  if (!own) return own.error();
  if (own->contains(hop)) {
    // The machine's own pods: its network reaches them without a route.
    const std::lock_guard lock(mutex_);
    local_[route.destination] = {hop.text(), route.node};
    return {};
  }
  const KernelRoute wanted{*ip::Prefix::parse(route.destination), hop, settings_.table,
                           settings_.protocol};
  const Result<std::vector<KernelRoute>> all = present(*kernel, wanted.destination);
  if (!all) return all.error();
  const std::string exists = "a route to " + route.destination + " exists already";
  for (const KernelRoute& each : *all) {
    if (is_own(each) && each.gateway == wanted.gateway) return {};
    return {Code::kUnavailable, exists + ", of protocol " + std::to_string(each.protocol)};
  }
  Status added = kernel->add(wanted);
  if (added.code() == Code::kAlreadyExists) return {Code::kUnavailable, exists};
  if (added.code() == Code::kNotFound) {
    return {Code::kUnavailable, hop.text() + " cannot be reached directly"};
  }
  if (!added.ok()) return added;
  const std::lock_guard lock(mutex_);
  look_.routes.emplace(wanted.destination.text(), wanted);
  return {};
}

CloudReply KernelRoutes::remove(const CloudRouteCall& at) {
  const std::optional<ip::Prefix> destination = ip::Prefix::parse(at.route.destination);
  if (!destination) return CloudReply::done();
  Result<Netlink> kernel = Netlink::open();
  if (!kernel) return CloudReply::failed(kernel.error());
  const KernelRoute own{*destination, std::nullopt, settings_.table, settings_.protocol};
  Status removed;
  for (int i = 0; i < kRoutesToOneMax && removed.ok(); ++i) removed = kernel->remove(own);
  removed = removed.unless(Code::kNotFound);
  const std::lock_guard lock(mutex_);
  local_.erase(at.route.destination);
  const auto [begin, end] = look_.routes.equal_range(destination->text());
  for (auto each = begin; each != end;) {
    each = is_own(each->second) ? look_.routes.erase(each) : std::next(each);
  }
  return removed.ok() ? CloudReply::done() : CloudReply::failed(std::move(removed));
}

}  // namespace davit::pools
