#include "plugins/pools/pools_controller.hpp"

#include <algorithm>
#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <memory>
#include <set>
#include <utility>

#include "plugins/pools/ledger_state.hpp"

namespace davit::pools {
namespace {

/// The least time between two Events AddressPoolExhausted of one Service. Rule: F4.
constexpr std::chrono::minutes kExhaustionPeriod{10};

/// Other writers of a Service come between as often as this.
constexpr int kHandOverTries = 5;

CloudReply gone() {
  return CloudReply::failed(Status(Code::kUnavailable, "the Service is not in the cache"));
}

}  // namespace

InitResult PoolsController::open(Context& cluster) {
  Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  if (options->routes.kind == RouteKind::kKernel) {
    if (Status s = check_network_rights(); !s.ok()) return s;
  }
  return std::unique_ptr<Controller>(
      std::make_unique<PoolsController>(cluster, std::move(*options)));
}

PoolsController::PoolsController(Context& cluster, Options options)
    : cluster_(cluster),
      host_(cluster),
      options_(std::move(options)),
      metrics_(cluster),
      has_pools_(!options_.pools.empty()),
      has_machines_(options_.inventory.is_offered),
      classes_(options_.classes),
      route_settings_(options_.routes),
      services_(cluster.open_informer<Service>(
          {.any = [this](const Event<Service>& event) { note(event); }})),
      nodes_(cluster.open_informer<Node>(
          {.any = [this](const Event<Node>& event) { note_machine(event); }})) {
  cluster_.start_timer({}, [this] { resume(); });
}

LoadBalancers* PoolsController::load_balancers() { return has_pools_ ? this : nullptr; }
Instances* PoolsController::instances() { return has_machines_ ? &machines_ : nullptr; }
Routes* PoolsController::routes() {
  switch (route_settings_.kind) {
    case RouteKind::kTable:
      return &table_routes_;
    case RouteKind::kKernel:
      return &kernel_routes_;
    case RouteKind::kNone:
      break;
  }
  return nullptr;
}

Result<std::vector<RouteTarget>> PoolsController::route_targets() const {
  const List<Node> all = nodes_.list();
  if (!all.error().ok()) return all.error();
  std::vector<RouteTarget> out;
  for (const Node& each : all) {
    RouteTarget& made = out.emplace_back();
    made.name = each.name();
    made.addresses = read_addresses(each.status()["addresses"]);
    for (const Value cidr : each.spec()["podCIDRs"].elements()) {
      made.cidrs.emplace_back(cidr.string());
    }
  }
  return out;
}

Status PoolsController::configure(const Value& config) {
  Result<Options> next = read_options(config);
  if (!next) return next.error();
  if (next->pools.empty() == has_pools_ || next->inventory.is_offered != has_machines_ ||
      next->routes != route_settings_ || next->classes != classes_) {
    return {Code::kUnsupported, "what the provider offers changes"};
  }
  std::vector<std::string> nodes;
  {
    const std::lock_guard lock(mutex_);
    nodes = changed_nodes(options_.inventory, next->inventory);
    if (has_begun_) metrics_.set_pools(options_.pools, next->pools);
    options_ = std::move(*next);
    ledger_.forget_waiting();
    has_new_pools_ = true;
    if (has_begun_) metrics_.record(options_.pools, ledger_);
  }
  if (has_pools_) host_.services_again({});
  for (const std::string& each : nodes) host_.nodes_again(each);
  return {};
}

// ---- Machines

Inventory PoolsController::inventory() const {
  const std::lock_guard lock(mutex_);
  return options_.inventory;
}

void PoolsController::note_machine(const Event<Node>& event) {
  if (event.type != Event<Node>::Type::kUpdated) return;
  {
    const std::lock_guard lock(mutex_);
    if (!options_.inventory.is_simulated) return;
  }
  if (!has_other_machine(*event.old, event.current)) return;
  host_.nodes_again(event.current.name());
}

CloudReply PoolsController::Machines::exists(const Node& node) {
  return ask(node, &Inventory::exists);
}
CloudReply PoolsController::Machines::shutdown(const Node& node) {
  return ask(node, &Inventory::shutdown);
}
CloudReply PoolsController::Machines::metadata(const Node& node) {
  return ask(node, &Inventory::metadata);
}

CloudReply PoolsController::Machines::ask(const Node& node, Question question) const {
  const Inventory inventory = owner_.inventory();
  if (!inventory.is_simulated) return (inventory.*question)(node);
  // From the own cache: that of the loop may lack the annotations.
  const Lookup<Node> own = owner_.nodes_.get(node.key());
  if (!own.error().ok()) return CloudReply::failed(own.error());
  if (own && own->uid() == node.uid()) return (inventory.*question)(*own);
  return CloudReply::failed(Status(Code::kUnavailable, "the Node is not in the cache"));
}

// ---- What Services show

Status PoolsController::begin() {
  if (has_begun_ && !has_new_pools_) return {};
  const List<Service> all = services_.list();
  if (!all.error().ok()) return all.error();
  std::set<std::string, std::less<>> uids;
  for (const Service& each : all) {
    uids.emplace(each.uid());
    if (!mutant("address-before-statuses")) adopt(each);
  }
  has_new_pools_ = false;
  if (std::exchange(has_begun_, true)) return {};
  ledger_.keep_only(uids);
  for (const Service& each : all) {
    ledger_.confirm(each.uid(), shown_addresses(each), each.has_finalizer(kCleanupFinalizer));
  }
  metrics_.set_pools({}, options_.pools);
  metrics_.record(options_.pools, ledger_);
  return {};
}

void PoolsController::note(const Event<Service>& event) {
  const Service& current = event.current;
  const Key key = current.key();
  if (event.type == Event<Service>::Type::kDeleted) return forget(std::string(current.uid()));
  if (event.type == Event<Service>::Type::kAdded) return adopt(key, std::string(current.uid()));
  const Service& old = *event.old;
  if (old.uid() != current.uid()) forget(std::string(old.uid()));
  adopt(key, std::string(current.uid()));
  confirm(key, std::string(current.uid()));
  // The loop does not look at these. Rule: F4.7.
  const bool has_other_labels = !(old.labels() == current.labels());
  const bool has_other_selector = !(old.selector() == current.selector());
  const bool has_other_policy = !(old.spec()["ipFamilyPolicy"] == current.spec()["ipFamilyPolicy"]);
  if (!wants_addresses(current, classes_) ||
      (!has_other_labels && !has_other_selector && !has_other_policy)) {
    return;
  }
  bool counts = has_other_policy;
  {
    const std::lock_guard lock(mutex_);
    if (!has_begun_) return;
    const Holder* const held = ledger_.find(current.uid());
    counts = counts || (has_other_selector && held != nullptr && held->look.sharing.is_local &&
                        !held->look.sharing.key.empty());
    counts = counts || (has_other_labels &&
                        std::any_of(options_.pools.begin(), options_.pools.end(),
                                    [](const Pool& each) { return each.services.has_value(); }));
  }
  if (counts) host_.services_again(key);
}

void PoolsController::forget(const std::string& uid) {
  std::vector<Key> next;
  {
    const std::lock_guard lock(mutex_);
    exhausted_at_.erase(uid);
    if (!has_begun_ || !ledger_.forget(uid)) return;
    next = ready();
  }
  look_again(next);
}

void PoolsController::adopt(const Key& key, const std::string& uid) {
  {
    const std::lock_guard lock(mutex_);
    if (!has_begun_ || ledger_.find(uid) != nullptr) return;
  }
  const Lookup<Service> cached = find(key, uid);
  if (!cached.error().ok() || !cached) return;
  std::vector<Key> next;
  {
    const std::lock_guard lock(mutex_);
    if (mutant("address-of-a-late-status") || !adopt(*cached)) return;
    next = ready();
  }
  look_again(next);
  if (!cached->is_being_deleted()) host_.services_again(key);
}

bool PoolsController::adopt(const Service& service) {
  std::vector<Address> used = used_addresses(service, classes_, options_.pools);
  if (used.empty()) return false;
  Claim claim = read_claim(service, options_.pools);
  claim.shown = std::move(used);
  ledger_.adopt(claim);
  return true;
}

void PoolsController::confirm(const Key& key, const std::string& uid) {
  {
    const std::lock_guard lock(mutex_);
    const Holder* const held = ledger_.find(uid);
    if (!has_begun_ || held == nullptr || held->leaving.empty()) return;
  }
  // The cache, and not the event that is being handled, which may be older than what was decided.
  const Lookup<Service> cached = find(key, uid);
  if (!cached.error().ok()) return;
  if (!cached) return forget(uid);
  std::vector<Key> next;
  {
    const std::lock_guard lock(mutex_);
    if (!ledger_.confirm(uid, shown_addresses(*cached), cached->has_finalizer(kCleanupFinalizer))) {
      return;
    }
    next = ready();
  }
  look_again(next);
}

std::vector<Key> PoolsController::ready() {
  metrics_.record(options_.pools, ledger_);
  return ledger_.ready(options_);
}

void PoolsController::look_again(const std::vector<Key>& services) const {
  for (const Key& each : services) host_.services_again(each);
}

void PoolsController::resume() {
  std::vector<Key> waiting;
  bool had_state = false;
  {
    const std::lock_guard lock(mutex_);
    waiting = std::exchange(resumed_, {});
    had_state = had_state_;
  }
  // Without the state of the build before this one each Service shows what it holds.
  if (!had_state) return host_.services_again({});
  look_again(waiting);
}

// ---- Calls of the loop

CloudReply PoolsController::get(const CloudService& at) {
  std::vector<Key> next;
  {
    const std::lock_guard lock(mutex_);
    if (Status s = begin(); !s.ok()) return CloudReply::failed(std::move(s));
    const std::string uid(at.service.uid());
    const Holder* const held = ledger_.find(uid);
    if (held != nullptr && !held->addresses.empty()) {
      return CloudReply::done(status_of(held->addresses));
    }
    if (ledger_.waiting().contains(uid) && !wants_addresses(at.service, classes_)) {
      ledger_.remove(uid);  // It waits no longer, and may have been offered what is free.
      next = ready();
    }
  }
  look_again(next);
  return CloudReply::not_found();
}

CloudReply PoolsController::ensure(const CloudService& at, std::span<const Node> /*nodes*/) {
  const std::string uid(at.service.uid());
  // From the own cache: that of the loop may lack fields that only this plugin declares.
  const Lookup<Service> service = find(at.service.key(), uid);
  if (!service.error().ok()) return CloudReply::failed(service.error());
  if (!service) return gone();
  Ensured made;
  {
    const std::lock_guard lock(mutex_);
    if (Status s = begin(); !s.ok()) return CloudReply::failed(std::move(s));
    made = ensure(*service);
  }
  report(*service, made);
  look_again(made.next);
  // A handler may have seen the end of the Service before: then nothing else frees the address.
  const Lookup<Service> present = find(at.service.key(), uid);
  if (!present.error().ok()) return CloudReply::failed(present.error());
  if (!present) {
    forget(uid);
    return gone();
  }
  confirm(at.service.key(), uid);
  // The loop writes no status after a failure.
  Status done = made.decision.is_taken_from ? Status() : made.decision.status;
  if (done.ok() && made.hands_over) done = hand_over(*service, made.decision.addresses);
  if (!done.ok()) return CloudReply::failed(std::move(done));
  return CloudReply::done(std::move(made.status));
}

PoolsController::Ensured PoolsController::ensure(const Service& service) {
  const std::string uid(service.uid());
  const bool has_waited = ledger_.waiting().contains(uid);
  Ensured out;
  out.decision = ledger_.ensure(read_claim(service, options_.pools), options_);
  const bool failed = !out.decision.status.ok();
  out.status = status_of(out.decision.addresses);
  out.hands_over = options_.hands_over;
  out.is_exhausted = failed && !out.decision.exhausted.empty() && may_report_exhaustion(uid);
  metrics_.record(options_.pools, ledger_);
  // One that was woken and fails takes nothing of what is free.
  if (has_waited || out.decision.helps_others) out.next = ready();
  return out;
}

Lookup<Service> PoolsController::find(const Key& key, std::string_view uid) const {
  Lookup<Service> found = services_.get(key);
  if (!found.error().ok() || !found || found->uid() == uid) return found;
  return {};
}

CloudReply PoolsController::update(const CloudService& /*at*/, std::span<const Node> /*nodes*/) {
  return CloudReply::not_ours();  // Addresses do not depend on Nodes.
}

CloudReply PoolsController::remove(const CloudService& at) {
  const std::string uid(at.service.uid());
  {
    const std::lock_guard lock(mutex_);
    if (Status s = begin(); !s.ok()) return CloudReply::failed(std::move(s));
    exhausted_at_.erase(uid);
    ledger_.remove(uid);
    metrics_.record(options_.pools, ledger_);
  }
  confirm(at.service.key(), uid);
  return CloudReply::done();
}

Status PoolsController::hand_over(const Service& service,
                                  const std::vector<Address>& addresses) const {
  std::string text;
  for (const Address& each : addresses) text += (text.empty() ? "" : ",") + each.text();
  if (service.annotation(kKubeVip) == text && service.annotation(kHandedOver) == text) return {};
  Service present = service;
  Status written;
  for (int attempt = 0; attempt < kHandOverTries; ++attempt) {
    JsonWriter body;
    body.begin_object().key("metadata").begin_object().member("uid", service.uid());
    // For this version, whose wish it was: kube-vip may have another one since.
    if (!mutant("wish-of-kube-vip")) body.member("resourceVersion", present.resource_version());
    body.key("annotations").begin_object();
    body.member(kKubeVip, text).member(kHandedOver, text);
    body.end_object().end_object().end_object();
    written =
        cluster_.client().patch<Service>(service.key(), PatchType::kMerge, body.text()).error();
    if (written.code() != Code::kConflict) break;
    Result<Service> live = cluster_.client().get<Service>(service.key());
    if (!live) {
      written = live.error();
      break;
    }
    // Its event, or its end, has the loop look again.
    const bool has_other_wish = live->annotation(kKubeVip) != service.annotation(kKubeVip) ||
                                live->annotation(kHandedOver) != service.annotation(kHandedOver);
    if (live->uid() != service.uid() || has_other_wish) return {};
    present = *std::move(live);
  }
  return written.with_context("failed to hand the addresses over to kube-vip");
}

bool PoolsController::may_report_exhaustion(const std::string& uid) {
  const Time now = cluster_.now();
  const auto [last, is_first] = exhausted_at_.try_emplace(uid, now);
  if (!is_first && now - last->second < kExhaustionPeriod) return false;
  last->second = now;
  return true;
}

void PoolsController::report(const Service& service, const Ensured& made) {
  const Decision& decision = made.decision;
  const EventRecorder events = cluster_.events();
  for (const Address& each : decision.contested) {
    events.warning(service, "AddressConflict",
                   each.text() + " belongs to another Service, which keeps it");
  }
  if (decision.status.ok() && !decision.outside.empty()) {
    events.warning(service, "AddressOutsidePools",
                   joined(decision.outside) + " stays, although no pool has it for this Service");
  }
  if (made.is_exhausted) events.warning(service, "AddressPoolExhausted", decision.status.message());
}

std::string PoolsController::status_of(const std::vector<Address>& addresses) const {
  JsonWriter out;
  out.begin_object().key("ingress").begin_array();
  for (const Address& each : addresses) {
    out.begin_object().member("ip", each.text()).member("ipMode", options_.ip_mode).end_object();
  }
  return std::move(out.end_array().end_object()).text();
}

// ---- Page, hand-over

Result<DebugPage> PoolsController::debug(std::string_view path, std::string_view query) const {
  if (path != "pools") return Controller::debug(path, query);
  const std::lock_guard lock(mutex_);
  DebugPage out;
  for (const auto& [address, uids] : ledger_.users()) {
    const Pool* const pool = pool_of(options_.pools, address);
    out.body += address.text() + " " + (pool == nullptr ? "-" : pool->name);
    for (const std::string& each : uids) {
      out.body += " " + ledger_.find(each)->age.key.text();
    }
    out.body += "\n";
  }
  return out;
}

void PoolsController::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  write_ledger(ledger_, out);
}

Status PoolsController::read(std::uint32_t /*version*/, Value state) {
  Result<LedgerState> read = read_ledger(state);
  if (!read) return read.error();
  const std::lock_guard lock(mutex_);
  if (mutant("forgotten-assignment")) return {};
  for (auto& [uid, holder] : read->holders) ledger_.put(uid, std::move(holder));
  resumed_ = std::move(read->waiting);
  had_state_ = true;
  return {};
}

}  // namespace davit::pools
