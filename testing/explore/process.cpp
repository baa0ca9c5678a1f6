#include "testing/explore/process.hpp"

#include <algorithm>
#include <chrono>
#include <davit/fnv.hpp>
#include <functional>
#include <limits>
#include <utility>

#include "host/api/request_builder.hpp"
#include "host/object/api_status.hpp"
#include "sandbox/client/in_process_transport.hpp"

namespace davit::explore {
namespace {

constexpr char kLeasePath[] = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
/// Two objects need two pages: a content is verified as a large one is.
constexpr std::uint32_t kPageSize = 1;
/// After a takeover on old caches the server answers no consistent list for so long, which is less
/// than two of an informer's first waits, and its watch cache lags on until what is verified shows.
constexpr Duration kUnverified = std::chrono::seconds(1);
constexpr Duration kLagsOn = std::chrono::seconds(10);

host::LeaderElectionOptions election_options(const Process::Options& options) {
  host::LeaderElectionOptions out;
  out.identity = options.name;
  out.departed = options.departed;
  return out;
}

Result<std::unique_ptr<Transport>> no_way_out(const host::OutboundServer& server) {
  return Status(Code::kUnavailable, server.url +
                                        ": an explored controller reaches no server "
                                        "outside the cluster");
}

}  // namespace

// ---- Requests ----

std::unique_ptr<davit::Call> Process::Door::start(HttpRequest request, ResponseReader& reader) {
  const WriteGate gate = std::move(request.gate);
  const HttpServerRequest received = sandbox::to_server_request(std::move(request));
  Status refused;
  const Reply answer = reply(received, gate, refused);
  if (!refused.ok() || answer.kind == Reply::Kind::kEnded) {
    reader.on_end({Break::kGate, refused.ok() ? "the process has ended" : refused.message()});
    return std::make_unique<EndedCall>();
  }
  if (answer.kind == Reply::Kind::kBroken) {
    reader.on_end({Break::kReset, "the connection broke"});
    return std::make_unique<EndedCall>();
  }
  sandbox::deliver_head(answer.response, reader);
  if (!answer.response.body.empty()) static_cast<void>(reader.on_body(answer.response.body));
  reader.on_end({});
  return std::make_unique<EndedCall>();
}

Reply Process::Door::reply(const HttpServerRequest& request, const WriteGate& gate,
                           Status& refused) {
  if (process_.has_ended_) return {.kind = Reply::Kind::kEnded};
  if (whose_ == Of::kHost) return process_.world_.discovery(process_, request);
  const Decision* const decision = process_.world_.before_request(process_, request);
  if (gate) refused = gate();
  if (!refused.ok()) {
    process_.world_.log(process_.name() + " sends nothing: " + refused.message());
    return {};
  }
  return process_.world_.request(process_, request, decision);
}

// ---- Leader election ----

Process::Process(World& world, const Subject& subject, Options options)
    : world_(world),
      subject_(subject),
      options_(std::move(options)),
      election_(election_options(options_)),
      replica_(replica_options(), {world.clock(), world.server(), door_, own_door_, *this,
                                   no_way_out, [this](const host::ServerHistory::Restore& what) {
                                     world_.log("  " + name() + " sees version " + what.version +
                                                " of " + what.resource + " after version " +
                                                what.known);
                                     end();  // As the product does.
                                   }}) {}

Process::~Process() { end(); }

testing::ReplicaOptions Process::replica_options() {
  testing::ReplicaOptions options;
  options.note = &subject_.declaration;
  options.may_write = [this] { return may_write(); };
  options.page_size = kPageSize;
  return options;
}

void Process::win() {
  const Duration retry = election_options(options_).retry_period;
  while (!attempt() && !has_ended_) world_.clock().move_to(world_.clock().now() + retry);
}

bool Process::keep_lease() {
  if (has_lost_lease_) return false;
  if (world_.clock().now() < renew_at_) return leads_until_ != Time::min();
  return attempt();
}

bool Process::attempt() {
  using Outcome = host::LeaderElection::Outcome;
  testing::ClusterClock& clock = world_.clock();
  const host::LeaderElectionOptions limits;
  const Time began = clock.now();
  std::optional<host::LeaderElection::Request> next =
      election_.begin(began, clock.wall_now(), clock.boot_now());
  while (next) next = election_.on_response(ask_for_lease(*next), clock.now());
  if (const auto& lease = election_.went_back()) {
    replica_.history().went_back({"coordination.k8s.io", "v1", "leases"}, lease->known,
                                 lease->version);
  }
  if (has_ended_) return false;
  if (election_.outcome() == Outcome::kHeld) {
    leads_until_ = began + limits.renew_deadline;
    renew_at_ = began + limits.retry_period;
    world_.lead(name());
    return true;
  }
  if (election_.outcome() == Outcome::kLost) {
    has_lost_lease_ = true;
    leads_until_ = Time::min();
  }
  return false;
}

Result<std::string> Process::ask_for_lease(const host::LeaderElection::Request& request) {
  using Verb = host::LeaderElection::Verb;
  HttpServerRequest out;
  const bool is_create = request.verb == Verb::kCreate;
  out.method = is_create ? "POST" : request.verb == Verb::kUpdate ? "PUT" : "GET";
  out.target = kLeasePath;
  if (!is_create) out.target += "/" + host::LeaderElectionOptions().name;
  out.headers = {{"Content-Type", kJsonText}};
  out.body = request.body;
  const HttpServerResponse response = world_.server().handle(out);
  const bool is_success = response.status >= 200 && response.status < 300;
  if (!is_success) return host::api_status(response.body);
  return response.body;
}

void Process::release() {
  const Result<std::optional<host::LeaderElection::Request>> update =
      election_.release_update(ask_for_lease(election_.begin_release()), world_.clock().wall_now());
  if (!update || !*update || !ask_for_lease(**update)) return;
  election_.released(world_.clock().now());
  leads_until_ = Time::min();
  world_.lead("");
}

Status Process::may_write() {
  if (has_ended_) return Status(Code::kCancelled, "the process has ended");
  if (keep_lease() && world_.clock().now() < leads_until_) return {};
  return Status(Code::kCancelled, "the lease was lost");
}

// ---- Controllers ----

Status Process::start(Start how) {
  if (options_.behind > 0) is_behind_ = true;
  for (const Subject::Controller& each : subject_.controllers) {
    const Result<testing::HostedController*> made =
        replica_.make(each.name, each.init, each.config);
    if (!made && made.error().code() != Code::kUnsupported) {
      const Status failure = made.error().with_context(each.name + " does not start");
      world_.log("  " + failure.message());
      end();  // As the product does, whose supervisor starts it again.
      return failure;
    }
  }
  if (is_behind_) begin_behind();
  if (how == Start::kStandby) replica_.process_pending();
  win();
  if (how == Start::kStandby && is_behind_) {
    const Time now = world_.clock().now();
    replica_.caches().refuse_consistent_lists(now + kUnverified);
    world_.result().hidden_until = now + kLagsOn;
  }
  for (const auto& each : replica_.hosts()) lead(*each->host);
  has_core_group_ = knows_core_group();
  return {};
}

void Process::begin_behind() {
  const std::string& resource = options_.behind_in;
  const std::vector<sandbox::Revision> changes = world_.changes_of(
      resource.empty() ? followed() : std::set{full_name(world_.server(), resource)});
  const std::size_t hidden = std::min(changes.size(), static_cast<std::size_t>(options_.behind));
  if (hidden > 0) hold_at(resource, changes[changes.size() - hidden] - 1);
  world_.log("  the caches of " + name() + " lack the last " + std::to_string(hidden) + " changes" +
             (resource.empty() ? "" : " of " + resource));
}

void Process::lead(host::ControllerHost& controller) {
  beginnings_[controller.name()] = {world_.server().revision(), world_.clock().now()};
  controller.lead(world_.clock().now());
}

void Process::swap() {
  for (const Subject::Controller& each : subject_.controllers) {
    const testing::HostedController* const old = replica_.find(each.name);
    if (old == nullptr) continue;
    const Result<testing::HostedController*> next =
        replica_.make(each.name, each.init, each.config);
    if (!next) {
      world_.violate("misuse", each.name + " cannot be swapped: " + next.error().message());
      continue;
    }
    replica_.process_pending();
    const Result<testing::Replica::Handed> handed = replica_.hand_over(*old->host, *(*next)->host);
    if (!handed) {
      world_.violate("misuse", each.name + " hands nothing over: " + handed.error().message());
      replica_.end(*next);
      continue;
    }
    // As Swap::beginning() has it: informers opened at run time may not be verified yet.
    if (*handed == testing::Replica::Handed::kNotAllWrites) {
      lead(*(*next)->host);
    } else {
      (*next)->host->lead(beginnings_[each.name].time);
    }
    replica_.end(old);
  }
}

void Process::take(Change change) {
  switch (change) {
    case Change::kSwap:
      return swap();
    case Change::kEnable:
      disable();
      return begin_again();
    case Change::kDisable:
      return disable();
    case Change::kUnload:
      disable();
      // As if the minute had passed for which they are kept.
      replica_.services().informers.release_unused(Time::max());
      return replica_.caches().follow();
    case Change::kBeginAgain:
      return begin_again();
    case Change::kServerWentBack:
      for (auto& [controller, beginning] : beginnings_) {
        beginning.revision = std::min(beginning.revision, world_.server().revision());
      }
      return replica_.process_pending();
  }
}

void Process::disable() {
  for (const Subject::Controller& each : subject_.controllers) {
    if (const testing::HostedController* const old = replica_.find(each.name)) replica_.end(old);
  }
  is_disabled_ = true;
}

void Process::begin_again() {
  if (has_ended_ || !std::exchange(is_disabled_, false)) return;
  world_.log("  the controllers of " + name() + " begin again");
  // A read at the same time is not as new as this beginning.
  world_.clock().move_to(world_.clock().now() + std::chrono::milliseconds(1));
  for (const Subject::Controller& each : subject_.controllers) {
    const Result<testing::HostedController*> made =
        replica_.make(each.name, each.init, each.config);
    if (made) lead(*(*made)->host);
  }
}

void Process::end() {
  if (std::exchange(has_ended_, true)) return;
  world_.log("  " + name() + " ends");
}

void Process::hold(const std::string& resource, Held held) {
  is_behind_ = world_.result().lags = true;
  const bool is_this = held == Held::kThis;
  replica_.caches().lag(is_this ? resource : "", world_.server().revision());
  if (!is_this) replica_.caches().lag(resource, std::numeric_limits<sandbox::Revision>::max());
}

void Process::hold_at(const std::string& resource, sandbox::Revision shown) {
  is_behind_ = world_.result().lags = true;
  replica_.caches().lag(resource, shown);
}

bool Process::catch_up() {
  if (!is_behind_ || world_.clock().now() < world_.result().hidden_until) return false;
  is_behind_ = world_.result().lags = false;
  world_.log("  the caches of " + name() + " see everything");
  replica_.caches().catch_up();
  return true;
}

// ---- What it knows ----

std::set<std::string> Process::followed() const {
  std::set<std::string> out;
  for (const host::Informer* each : replica_.caches().informers()) {
    out.insert(each->resource().text());
  }
  return out;
}

std::string Process::staleness(std::string_view user_agent) const {
  const testing::HostedController* writer = nullptr;
  for (const auto& each : replica_.hosts()) {
    if (user_agent.find(each->host->declared().client_name) != std::string_view::npos) {
      writer = each.get();
    }
  }
  if (writer == nullptr) return "";
  const auto own = beginnings_.find(writer->host->name());
  const sandbox::Revision beginning = std::max(own == beginnings_.end() ? 0 : own->second.revision,
                                               world_.others_led_until(name()));
  host::ControllerAbi& abi = writer->host->abi();
  for (const host::Informer* each : replica_.caches().informers()) {
    const host::ResourceId& resource = each->resource();
    const bool is_used = abi.dynamic.size() > 0 ||
                         std::ranges::any_of(abi.informers.of(resource.group, resource.resource),
                                             [each](const host::OpenedInformer* opened) {
                                               return opened->informer == each;
                                             });
    const auto served = world_.server().find(resource.group, resource.version, resource.resource);
    if (!is_used || served == nullptr || !each->is_unselected()) continue;
    const std::vector<sandbox::Revision>& changes = world_.server().changes(*served);
    const auto later = std::ranges::upper_bound(changes, beginning);
    if (later == changes.begin() || each->store().version() >= *std::prev(later)) continue;
    return writer->host->name() + " began at version " + std::to_string(beginning) +
           ", and its cache of " + resource.text() + " shows version " +
           std::to_string(each->store().version()) + ", but not the change of version " +
           std::to_string(*std::prev(later));
  }
  return "";
}

bool Process::knows_core_group() {
  const auto catalog = host::known_catalog(replica_.services().discovery);
  return catalog != nullptr && catalog->group("") != nullptr;
}

void Process::check_catalog() {
  if (!has_core_group_) return;
  has_core_group_ = knows_core_group();
  if (has_core_group_) return;
  world_.violate("catalog", name() + " believes a discovery document without the core group");
}

std::uint64_t Process::state() const {
  std::uint64_t sum = is_behind_ ? 1 : 0;
  const auto mix = [&sum](std::uint64_t value) {
    sum = (sum ^ value) * FnvHash<std::uint64_t>::kPrime;
  };
  for (const host::Informer* each : replica_.caches().informers()) {
    const host::ResourceId& resource = each->resource();
    const auto served = world_.server().find(resource.group, resource.version, resource.resource);
    if (served == nullptr) continue;
    const std::vector<sandbox::Revision>& changes = world_.server().changes(*served);
    const auto unseen = std::ranges::upper_bound(changes, each->store().version());
    mix(static_cast<std::uint64_t>(changes.end() - unseen));
    mix(each->store().size());
  }
  for (const auto& each : replica_.hosts()) {
    const host::ControllerRunner::Use use = each->host->runner().use();
    mix(use.waiting);
    mix(use.delayed);
    mix(use.backing_off);
  }
  return sum;
}

void Process::synced(std::string_view controller, std::string_view key,
                     const host::SyncOutcome& outcome) {
  if (world_.result().has_met_discovery) check_catalog();
  std::string line = name() + " sync of " + std::string(key) + " by " + std::string(controller);
  if (outcome.code != DAVIT_OK) line += " fails: " + outcome.error;
  world_.log(std::move(line));
}

void Process::refused(std::string_view controller, std::string_view why) {
  world_.violate("misuse", std::string(controller) + ": " + std::string(why));
}

}  // namespace davit::explore
