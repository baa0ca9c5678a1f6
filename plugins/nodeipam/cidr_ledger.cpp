#include "plugins/nodeipam/cidr_ledger.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <davit/state_fields.hpp>
#include <utility>

namespace davit::nodeipam {
namespace {

constexpr std::string_view kFull =
    "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range";

struct ReadReservation {
  std::string node;
  std::string uid;
  std::vector<ip::Prefix> blocks;
};

std::vector<ReadReservation> read_reservations(const StateFields& state) {
  std::vector<ReadReservation> out;
  for (const Value value : state.array("reserved").elements()) {
    const StateFields entry = state.element(value);
    ReadReservation read{entry.text("node"), entry.text("uid"), {}};
    for (const std::string& each : entry.texts("cidrs")) {
      const std::optional<ip::Prefix> block = parse_cidr(each);
      if (!block) {
        entry.refuse("cidrs", "a list of CIDRs");
        return {};
      }
      read.blocks.push_back(*block);
    }
    out.push_back(std::move(read));
  }
  return out;
}

}  // namespace

CidrLedger::CidrLedger(const Options& options)
    : sets_(options.ranges.begin(), options.ranges.end()) {
  for (const ip::Prefix& each : options.services) static_cast<void>(hold(each));
}

std::vector<CidrLedger::Held> CidrLedger::hold(const ip::Prefix& prefix) {
  std::vector<Held> out;
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const std::optional<Blocks> blocks = sets_[i].blocks_of(prefix);
    if (!blocks) continue;
    sets_[i].hold(*blocks);
    out.push_back({i, *blocks});
  }
  return out;
}

void CidrLedger::release(std::vector<Held>& held) {
  for (const Held& each : held) sets_[each.set].release(each.blocks);
  held.clear();
}

void CidrLedger::release_all(std::map<std::string, Reservation>::iterator reservation) {
  release(reservation->second.held);
  reservations_.erase(reservation);
}

bool CidrLedger::see(const NodeFacts& node) {
  auto& known = nodes_[node.name];
  const bool is_same = known.uid == node.uid;
  const bool is_settled = is_same && known.cidrs == node.cidrs && !node.cidrs.empty();
  if (is_settled) return false;
  std::vector<Held> before = std::exchange(known.held, {});
  for (const std::string& each : node.cidrs) {
    const std::optional<ip::Prefix> prefix = parse_cidr(each);
    if (!prefix) continue;
    const std::vector<Held> held = hold(*prefix);
    known.held.insert(known.held.end(), held.begin(), held.end());
  }
  release(before);
  const auto reservation = reservations_.find(node.name);
  if (reservation != reservations_.end()) {
    // It may belong to a sync that saw the Node before this handler did.
    const bool is_mine = reservation->second.uid == node.uid;
    const bool is_gone = !is_same && reservation->second.uid == known.uid;
    if (is_gone || (is_mine && !node.cidrs.empty())) release_all(reservation);
  }
  if (!node.cidrs.empty()) waiting_.erase(node.name);
  if (!is_same) known.is_reported = false;
  known.uid = node.uid;
  known.cidrs = node.cidrs;
  return node.cidrs.empty() || misplaced(known.cidrs);
}

std::optional<std::string> CidrLedger::misplaced(const std::vector<std::string>& cidrs) const {
  for (std::size_t i = 0; i < cidrs.size(); ++i) {
    const std::optional<ip::Prefix> prefix = parse_cidr(cidrs[i]);
    if (i >= sets_.size() || !prefix || !sets_[i].blocks_of(*prefix)) return cidrs[i];
  }
  return std::nullopt;
}

void CidrLedger::forget(const NodeFacts& node) {
  waiting_.erase(node.name);
  const auto known = nodes_.find(node.name);
  if (known != nodes_.end()) {
    release(known->second.held);
    nodes_.erase(known);
  }
  const auto reservation = reservations_.find(node.name);
  if (reservation != reservations_.end() && reservation->second.uid == node.uid) {
    release_all(reservation);
  }
}

bool CidrLedger::fits(const std::vector<ip::Prefix>& blocks) const {
  return std::ranges::equal(sets_, blocks, [](const CidrSet& set, const ip::Prefix& block) {
    return set.has_block(block);
  });
}

Result<CidrLedger::Reserved> CidrLedger::reserve(const std::string& name, const std::string& uid) {
  const auto known = nodes_.find(name);
  if (known != nodes_.end() && known->second.uid == uid && !known->second.cidrs.empty()) {
    return Reserved{};
  }
  const auto reservation = reservations_.find(name);
  if (reservation != reservations_.end()) {
    const Reservation& mine = reservation->second;
    if (mine.uid == uid && fits(mine.blocks)) return Reserved{mine.blocks, {}};
    release_all(reservation);
  }
  // Before a block of another set is taken (D4).
  const auto full = std::ranges::find_if(sets_, &CidrSet::is_full);
  if (full != sets_.end()) {
    waiting_.insert(name);
    return Status(Code::kUnavailable, "failed to allocate cidr from cluster cidr at idx:" +
                                          std::to_string(full - sets_.begin()) + ": " +
                                          std::string(kFull));
  }
  waiting_.erase(name);
  Reserved out;
  Reservation made{uid, {}, {}, false};
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const CidrSet::Taken taken = sets_[i].take();
    made.held.push_back({i, sets_[i].blocks_of(taken.block).value()});
    made.blocks.push_back(taken.block);
    out.tries.push_back(taken.tries);
  }
  out.blocks = made.blocks;
  reservations_.emplace(name, std::move(made));
  return out;
}

void CidrLedger::cancel(const std::string& name) {
  const auto reservation = reservations_.find(name);
  if (reservation != reservations_.end()) release_all(reservation);
}

void CidrLedger::keep(const std::string& name) {
  const auto reservation = reservations_.find(name);
  if (reservation != reservations_.end()) reservation->second.may_be_written = true;
}

void CidrLedger::refuse(const std::string& name) {
  const auto reservation = reservations_.find(name);
  if (reservation == reservations_.end()) return;
  if (reservation->second.may_be_written && !mutant("block-of-an-earlier-write")) return;
  release_all(reservation);
}

std::uint64_t CidrLedger::freed() const {
  std::uint64_t out = 0;
  for (const CidrSet& each : sets_) out += each.became_free();
  return out;
}

std::vector<std::string> CidrLedger::take_waiting() {
  const std::uint64_t before = std::exchange(freed_before_, freed());
  if (before == freed_before_ || waiting_.empty()) return {};
  std::vector<std::string> out(waiting_.begin(), waiting_.end());
  waiting_.clear();
  return out;
}

std::optional<std::string> CidrLedger::report_misplaced(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return std::nullopt;
  Known& known = found->second;
  // Without CIDRs it is older than the state that the sync has seen, and another sync comes.
  if (known.is_reported || known.cidrs.empty()) return std::nullopt;
  known.is_reported = true;
  return misplaced(known.cidrs);
}

std::string CidrLedger::cluster_text() const {
  std::string out;
  for (const CidrSet& each : sets_) out += (out.empty() ? "" : ",") + each.cidr().text();
  return out;
}

void CidrLedger::write(JsonWriter& out) const {
  out.begin_object().key("next").begin_array();
  for (const CidrSet& each : sets_) {
    out.begin_object().member("cidr", each.cidr().text());
    out.member("index", static_cast<std::int64_t>(each.next())).end_object();
  }
  out.end_array().key("reserved").begin_array();
  for (const auto& [name, reservation] : reservations_) {
    out.begin_object().member("node", name).member("uid", reservation.uid);
    out.key("cidrs").begin_array();
    for (const ip::Prefix& each : reservation.blocks) out.string(each.text());
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

Status CidrLedger::read(Value state) {
  Status status;
  const StateFields fields(state, status);
  const std::vector<ReadReservation> reserved = read_reservations(fields);
  std::map<std::string, std::int64_t> next;
  for (const Value value : fields.array("next").elements()) {
    const StateFields entry = fields.element(value);
    next[entry.text("cidr")] = entry.integer("index", {0, std::int64_t{1} << 32U});
  }
  if (!status.ok()) return status;
  for (CidrSet& each : sets_) {
    const auto found = next.find(each.cidr().text());
    if (found != next.end()) each.set_next(static_cast<std::uint64_t>(found->second));
  }
  for (const ReadReservation& each : reserved) {
    const auto known = nodes_.find(each.node);
    if (known == nodes_.end() || known->second.uid != each.uid || !known->second.cidrs.empty()) {
      continue;
    }
    cancel(each.node);
    Reservation& mine = reservations_[each.node];
    mine = {each.uid, each.blocks, {}, true};  // The former build may have written it.
    for (const ip::Prefix& block : each.blocks) {
      const std::vector<Held> held = hold(block);
      mine.held.insert(mine.held.end(), held.begin(), held.end());
    }
  }
  return {};
}

}  // namespace davit::nodeipam
