#include "plugins/shared/endpoint/subset.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "plugins/shared/endpoint/fnv128.hpp"

namespace davit::endpoint {

namespace {

bool same_address(const EndpointAddress& a, const EndpointAddress& b) {
  return a.ip == b.ip && a.hostname == b.hostname && a.node_name == b.node_name &&
         same_reference(a.target, b.target);
}

bool same_list(const std::vector<EndpointAddress>& a, const std::vector<EndpointAddress>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_address);
}

/// The parts of an address that make two addresses equal.
struct Identity {
  std::string_view ip;
  std::string_view uid;
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

Identity identity_of(const EndpointAddress& address) {
  return {address.ip, address.target ? std::string_view(address.target->uid) : std::string_view()};
}

enum class Ready { kNo, kYes };
using ReadyByAddress = std::map<Identity, Ready>;

/// A subset without ports counts as one with this port.
EndpointPort no_port() { return {"", -1, "", std::nullopt}; }

/// The result of repacking. The views point into the input.
struct Gathered {
  std::map<Identity, const EndpointAddress*> addresses;  ///< The first one's content stays.
  std::map<EndpointPort, ReadyByAddress> by_port;
};

void gather(const std::vector<EndpointAddress>& addresses, Ready ready,
            const std::vector<EndpointPort>& ports, Gathered& out) {
  for (const EndpointAddress& address : addresses) {
    const Identity identity = identity_of(address);
    out.addresses.emplace(identity, &address);
    for (const EndpointPort& port : ports) {
      const auto [place, fresh] = out.by_port[port].emplace(identity, ready);
      if (!fresh && ready == Ready::kNo) place->second = Ready::kNo;
    }
  }
}

bool address_before(const EndpointAddress& a, const EndpointAddress& b) {
  const auto rank = [](const EndpointAddress& each) {
    return std::make_tuple(std::string_view(each.ip), each.target.has_value(),
                           each.target ? std::string_view(each.target->uid) : std::string_view());
  };
  return rank(a) < rank(b);
}

/// Sorts by the hash of each element's text.
template <typename T>
void sort_by_hash(std::vector<T>& list) {
  std::vector<std::pair<Hash128, T>> hashed;
  hashed.reserve(list.size());
  for (T& each : list) {
    const Hash128 hash = fnv1a_128(dump_text(each));
    hashed.emplace_back(hash, std::move(each));
  }
  std::stable_sort(hashed.begin(), hashed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(hashed.begin(), hashed.end(), list.begin(),
                 [](auto& each) { return std::move(each.second); });
}

std::string text_of(Value value) { return std::string(value.string()); }

EndpointAddress read_address(Value value) {
  EndpointAddress address;
  address.ip = text_of(value[&Names::ip]);
  address.hostname = text_of(value[&Names::hostname]);
  if (const auto node = value[&Names::node_name].text()) address.node_name = std::string(*node);
  address.target = ObjectReference::read(value[&Names::target_ref]);
  return address;
}

EndpointPort read_port(Value value) {
  EndpointPort port{text_of(value[&Names::name]), value[&Names::port].integer_or(0),
                    text_of(value[&Names::protocol]), std::nullopt};
  if (const auto text = value[&Names::app_protocol].text()) port.app_protocol = std::string(*text);
  return port;
}

}  // namespace

bool same_subsets(const Subsets& a, const Subsets& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const EndpointSubset& left, const EndpointSubset& right) {
                      return left.ports == right.ports && same_list(left.ready, right.ready) &&
                             same_list(left.not_ready, right.not_ready);
                    });
}

Subsets canonical(const Subsets& subsets) {
  Gathered all;
  for (const EndpointSubset& each : subsets) {
    const std::vector<EndpointPort> ports =
        each.ports.empty() ? std::vector<EndpointPort>{no_port()} : each.ports;
    gather(each.ready, Ready::kYes, ports, all);
    gather(each.not_ready, Ready::kNo, ports, all);
  }
  std::map<ReadyByAddress, std::vector<EndpointPort>> ports_of;
  for (auto& [port, addresses] : all.by_port) {
    std::vector<EndpointPort>& ports = ports_of[addresses];
    if (port != no_port()) ports.push_back(port);
  }
  Subsets out;
  for (auto& [addresses, ports] : ports_of) {
    EndpointSubset subset;
    for (const auto& [identity, ready] : addresses) {
      (ready == Ready::kYes ? subset.ready : subset.not_ready)
          .push_back(*all.addresses.at(identity));
    }
    std::sort(subset.ready.begin(), subset.ready.end(), address_before);
    std::sort(subset.not_ready.begin(), subset.not_ready.end(), address_before);
    subset.ports = std::move(ports);
    sort_by_hash(subset.ports);
    out.push_back(std::move(subset));
  }
  sort_by_hash(out);
  return out;
}

Subsets read_subsets(const Endpoints& endpoints) {
  Subsets subsets;
  for (const Value value : endpoints.subsets().elements()) {
    EndpointSubset subset;
    for (const Value each : value[&Names::addresses].elements()) {
      subset.ready.push_back(read_address(each));
    }
    for (const Value each : value[&Names::not_ready_addresses].elements()) {
      subset.not_ready.push_back(read_address(each));
    }
    for (const Value each : value[&Names::ports].elements()) {
      subset.ports.push_back(read_port(each));
    }
    subsets.push_back(std::move(subset));
  }
  return subsets;
}

std::size_t address_count(const Subsets& subsets) {
  std::size_t count = 0;
  for (const EndpointSubset& each : subsets) count += each.ready.size() + each.not_ready.size();
  return count;
}

}  // namespace davit::endpoint
