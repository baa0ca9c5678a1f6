#include "testing/explore/world.hpp"

#include <algorithm>
#include <chrono>

#include "sandbox/kinds/api_error.hpp"
#include "testing/explore/faulty_reply.hpp"
#include "testing/explore/process.hpp"

namespace davit::explore {
namespace {

/// So that a run is not on the hour, nor at a leap day.
constexpr WallTime kStart =
    std::chrono::sys_days(std::chrono::year(2024) / 5 / 1) + std::chrono::hours(12);

/// The caches lack a write whose response went wrong for so long: several retries of its key.
constexpr Duration kHidden = std::chrono::seconds(3);
/// Discovery is wrong for so long, which is less than the last rest of a run.
constexpr Duration kOutage = std::chrono::seconds(20);
/// Far more than the controllers of a small scenario send; in a large one each step may bring an
/// object that needs so many.
constexpr std::size_t kRequestsMax = 5'000;
constexpr std::size_t kRequestsOfStep = 20;
/// So that the number of a step changes other bits of a sum than small numbers do.
constexpr int kStepShift = 40;

bool is_write(const HttpServerRequest& request) { return request.method != "GET"; }

bool is_end(Choice choice) { return choice <= Choice::kTakeoverAfter; }

std::string text_of(const sandbox::Collection& collection) {
  return host::ResourceId{collection.group, {}, collection.resource}.text();
}

}  // namespace

std::string request_text(const HttpServerRequest& request, const sandbox::Url& url) {
  std::string out(sandbox::to_text(sandbox::verb_of(request.method, url)));
  out += " " + (url.resource.empty() ? url.path : url.resource);
  if (!url.name.empty()) out += "/" + url.name;
  if (!url.subresource.empty()) out += "/" + url.subresource;
  return out;
}

World::World(const Scenario& scenario, const Plan& plan, const RunResult* undisturbed,
             Suspend suspend)
    : scenario_(scenario),
      undisturbed_(undisturbed),
      suspend_(std::move(suspend)),
      requests_max_(std::max(kRequestsMax,
                             kRequestsOfStep * (scenario.cluster.size() + scenario.steps.size()))),
      clock_(kStart),
      content_(new_content()) {
  for (const Decision& each : plan) decisions_[{each.point, each.number}] = &each;
  server_.on_change([this](const sandbox::Collection& collection, const sandbox::Change& change) {
    changed(collection, change);
  });
}

std::unique_ptr<Content> World::new_content() const {
  return std::make_unique<Content>(undisturbed_ == nullptr ? nullptr : &undisturbed_->counts,
                                   scenario_.differing);
}

void World::count(const Seen& next) {
  ++changed_[next.resource];
  const Seen* const last = changes_.empty() ? nullptr : &changes_.back();
  const bool is_of_last = last != nullptr && last->writer == next.writer &&
                          last->request == next.request && own_changes_ > 0;
  if (next.writer != Writer::kController) {
    own_changes_ = 0;
  } else if (!is_of_last) {
    ++own_changes_;
  }
}

void World::restore(std::size_t requests) {
  auto lost = changes_.end();
  // One request may lead to several changes, of which no backup has a part.
  while (lost != changes_.begin() && std::prev(lost)->writer == Writer::kController) {
    const bool is_begun = lost != changes_.end() && lost->request == std::prev(lost)->request;
    if (!is_begun && requests-- == 0) break;
    --lost;
  }
  if (lost == changes_.end()) return;
  const sandbox::Revision to = lost->revision() - 1;
  const std::vector<Seen> left(changes_.begin(), lost);
  changes_.clear();
  changed_.clear();
  own_changes_ = 0;
  for (const Seen& each : left) {
    count(each);
    changes_.push_back(each);
  }
  content_ = new_content();
  invariants_ = {};
  for (const Seen& each : changes_) {
    static_cast<void>(content_->take(each.collection, each.change, each.writer));
    static_cast<void>(invariants_.take(each.collection, each.change, each.writer));
  }
  for (auto& [process, until] : led_until_) until = std::min(until, to);
  server_.restore(to);
  log("  the server is at version " + std::to_string(to) + " again");
}

void World::changed(const sandbox::Collection& collection, const sandbox::Change& change) {
  if (Content::is_ignored(collection, change)) return;
  Seen seen{collection, change, text_of(collection), writer_, result_.requests};
  count(seen);
  if (undisturbed_ == nullptr && !result_.is_last_rest) {
    result_.made.push_back({seen.resource, moment(), writer_});
  }
  changes_.push_back(std::move(seen));
  const std::optional<Content::Excess> excess = content_->take(collection, change, writer_);
  if (excess && !scenario_.allows(excess->oracle, excess->resource)) {
    violate(excess->oracle, excess->text);
  }
  const std::string broken = invariants_.take(collection, change, writer_);
  if (!broken.empty()) violate("data", broken);
}

void World::violate(const std::string& oracle, const std::string& text) {
  log("! " + oracle + ": " + text);
  result_.violations.push_back({oracle, text});
}

const Decision* World::pass(PassedPoint point, const Process& process) {
  if (result_.is_last_rest) return nullptr;
  point.number = ++passed_[point.point];
  point.state = process.state() ^ content_->hash();
  point.moment = moment();
  point.before = point.moment ^ content_->hash();
  if (undisturbed_ == nullptr) {
    point.changed = changed_;
    for (const std::string& each : process.followed()) {
      const auto found = changed_.find(each);
      if (found != changed_.end()) point.changes += found->second;
    }
    if (result_.end.empty()) point.own_changes = own_changes_;
    point.quiet_changes = result_.quiet_changes;
  }
  const auto found = decisions_.find({point.point, point.number});
  result_.points.push_back(std::move(point));
  if (found == decisions_.end()) return nullptr;
  const Decision* const decision = found->second;
  note(*decision);
  return decision;
}

void World::pass_early(const Decision& decision) {
  note(decision);
  decisions_.erase({decision.point, decision.number});
}

void World::note(const Decision& decision) {
  log("* " + davit::explore::to_text(decision) + ": " + std::string(meaning(decision.choice)));
}

const Decision* World::before_request(Process& process, const HttpServerRequest& request) {
  const auto url = sandbox::parse_url(request.target);
  if (!url || !url->is_resource) return nullptr;
  PassedPoint point;
  point.point = Point::kRequest;
  const std::string verb(sandbox::to_text(sandbox::verb_of(request.method, *url)));
  point.what = verb + " " + url->resource;
  if (!url->subresource.empty()) point.what += "/" + url->subresource;
  point.is_write = is_write(request);
  point.is_update = point.is_write && !url->name.empty();
  const Decision* const decision = pass(std::move(point), process);
  if (decision != nullptr && decision->choice == Choice::kSuspend) suspend_(process);
  return decision;
}

Reply World::request(Process& process, const HttpServerRequest& request, const Decision* decision) {
  const auto url = sandbox::parse_url(request.target);
  if (!url || !url->is_resource) return {Reply::Kind::kResponse, server_.handle(request)};
  if (++result_.requests >= requests_max_) {
    if (result_.requests == requests_max_) {
      violate("requests",
              "the controllers send " + std::to_string(requests_max_) + " requests, and more");
    }
    process.end();  // Should the controller ask, its loop ends.
    return {.kind = Reply::Kind::kEnded};
  }
  const Choice choice = decision == nullptr ? Choice::kSuspend : decision->choice;
  const bool ends_before = choice == Choice::kCrashBefore || choice == Choice::kTakeoverBefore;
  if (ends_before) {
    process.end();
    return {.kind = Reply::Kind::kEnded};
  }
  return serve(process, request, *url, decision);
}

Reply World::serve(Process& process, const HttpServerRequest& request, const sandbox::Url& url,
                   const Decision* decision) {
  const std::string what = request_text(request, url);
  if (is_write(request)) check_write(process, request, url, what);
  if (decision != nullptr && decision->choice == Choice::kConflict) {
    log(process.name() + " " + what + " 409");
    return {Reply::Kind::kResponse, conflict_reply(url)};
  }
  const bool is_unclear = decision != nullptr && !is_end(decision->choice);
  const bool hides = is_unclear && decision->behind > 0;
  const bool lags = result_.lags || clock_.now() < result_.hidden_until;
  if (hides || (is_unclear && lags)) {
    // Nothing that was read at the same time can show it.
    clock_.move_to(clock_.now() + std::chrono::milliseconds(1));
  }
  if (hides) {
    process.hold("");
    result_.hidden_until = clock_.now() + kHidden;
  }
  const Writer before = std::exchange(writer_, Writer::kController);
  const std::size_t changes = changes_.size();
  HttpServerResponse response = server_.handle(request);
  writer_ = before;
  if (is_write(request) && !result_.points.empty() && !result_.is_last_rest) {
    PassedPoint& point = result_.points.back();
    point.after = moment() ^ content_->hash();
    for (std::size_t i = changes; i < changes_.size(); ++i) {
      point.own.push_back(changes_[i].resource);
    }
  }
  std::string line = process.name() + " " + what;
  if (request.method == "POST" && url.name.empty() && response.status == 201) {
    line += "/" + json_literal(response.body).text_at({"metadata", "name"});
  }
  log(line + " " + std::to_string(response.status));
  if (decision == nullptr) return {Reply::Kind::kResponse, std::move(response)};
  switch (decision->choice) {
    case Choice::kCrashAfter:
    case Choice::kTakeoverAfter:
      process.end();
      return {.kind = Reply::Kind::kEnded};
    case Choice::kLostResponse:
      return {.kind = Reply::Kind::kBroken};
    default:
      return {Reply::Kind::kResponse, faulty_reply(decision->choice, url, std::move(response))};
  }
}

Reply World::discovery(Process& process, const HttpServerRequest& request) {
  const auto url = sandbox::parse_url(request.target);
  const bool is_document = url && !url->is_resource;
  const Decision* decision = nullptr;
  if (is_document) {
    PassedPoint point;
    point.point = Point::kDiscovery;
    point.what = url->path;
    decision = pass(std::move(point), process);
  }
  HttpServerResponse response = server_.handle(request);
  if (decision != nullptr && decision->behind > 0) {
    outage_ = decision->choice;
    outage_end_ = clock_.now() + kOutage;
    result_.has_outage = true;
  }
  if (decision != nullptr) result_.has_met_discovery = true;
  const bool is_faulty = is_document && (decision != nullptr || clock_.now() < outage_end_);
  if (!is_faulty) return {Reply::Kind::kResponse, std::move(response)};
  const Choice choice = decision == nullptr ? outage_ : decision->choice;
  return {Reply::Kind::kResponse, faulty_document(choice, std::move(response))};
}

void World::check_write(const Process& process, const HttpServerRequest& request,
                        const sandbox::Url& url, const std::string& what) {
  if (is_kept(url)) {
    violate("kept", process.name() + " sends " + what + ", which no controller may change");
  }
  if (leader_ != process.name()) {
    violate("two-writers", process.name() + " sends " + what + " while " +
                               (leader_.empty() ? "no process" : leader_) + " leads");
  }
  const std::string why = process.staleness(request.header("User-Agent"));
  if (!why.empty()) violate("stale-write", process.name() + " sends " + what + ": " + why);
}

bool World::is_kept(const sandbox::Url& url) const {
  return std::ranges::any_of(scenario_.kept, [&](const Target& each) {
    const sandbox::ResourcePtr resource = server_.find(each.resource);
    if (resource == nullptr || url.resource != resource->name || url.group != resource->group) {
      return false;
    }
    const std::string ns = !resource->namespaced ? "" : each.ns.empty() ? scenario_.name : each.ns;
    // A create names nothing that is there.
    return url.ns == ns && !url.name.empty() && (each.name.empty() || url.name == each.name);
  });
}

std::uint64_t World::moment() const {
  const auto time = static_cast<std::uint64_t>(clock_.now().time_since_epoch().count());
  return std::hash<std::uint64_t>()(time) ^ (result_.step << kStepShift);
}

void World::lead(const std::string& leader) {
  if (leader == leader_) return;
  if (!leader_.empty()) {
    led_until_[leader_] = server_.revision();
    log("  " + leader_ + " no longer leads");
  }
  if (!leader.empty()) log("  " + leader + " leads");
  leader_ = leader;
}

sandbox::Revision World::others_led_until(const std::string& process) const {
  sandbox::Revision latest = 0;
  for (const auto& [who, until] : led_until_) {
    if (who != process) latest = std::max(latest, until);
  }
  return latest;
}

std::vector<sandbox::Revision> World::changes_of(const std::set<std::string>& resources,
                                                 std::size_t least) const {
  std::size_t count = 0;
  for (const std::string& each : resources) {
    const auto found = changed_.find(each);
    if (found != changed_.end()) count += found->second;
  }
  if (count < least) return {};
  std::vector<sandbox::Revision> out;
  for (const Seen& each : changes_) {
    if (resources.contains(each.resource)) out.push_back(each.revision());
  }
  return out;
}

std::string full_name(const testing::ClusterServer& server, const std::string& resource) {
  const sandbox::ResourcePtr served = server.find(resource);
  return served == nullptr ? resource : served->qualified_name();
}

}  // namespace davit::explore
