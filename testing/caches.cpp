#include "testing/caches.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/api/request_builder.hpp"
#include "host/api/response_status.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "host/object/api_status.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/faults/stale_read.hpp"

namespace davit::testing {
namespace {

using sandbox::Revision;

/// The events of a watch up to a revision.
std::string up_to(std::string events, Revision limit, Revision present) {
  if (limit >= present) return events;
  std::size_t end = 0;
  while (end < events.size()) {
    const std::size_t next = events.find('\n', end) + 1;
    const Tree event = json_literal(std::string_view(events).substr(end, next - end));
    const std::string& version = event.text_at({"object", "metadata", "resourceVersion"});
    if (host::parse_version(version).value_or(0) > limit) break;
    end = next;
  }
  events.resize(end);
  return events;
}

}  // namespace

/// Counts what is asked of one informer.
class Caches::Counter final : public host::InformerMetrics {
 public:
  Counter(Caches& caches, std::string resource) : caches_(caches), resource_(std::move(resource)) {}

  void relist_requested(host::RelistReason reason) override {
    ++caches_.interrupts_;
    if (reason == host::RelistReason::kVerification) ++caches_.verifications_[resource_];
  }

 private:
  Caches& caches_;
  const std::string resource_;
};

host::ReflectorOptions stepped_reflector(std::uint32_t page_size) {
  host::ReflectorOptions options;
  options.format = host::WireFormat::kJson;  // Events are cut at their line ends here.
  options.streaming_list = false;
  options.page_size = page_size;
  options.watch_too_short = Duration::zero();  // A watch without news ends at once.
  return options;
}

std::unique_ptr<host::InformerMetrics> Caches::informer(const host::ResourceId& resource) {
  return std::make_unique<Counter>(*this, resource.text());
}

std::deque<Caches::Follower>& Caches::followers() {
  const std::vector<host::Informer*> all = factory_->informers();
  // Both are in the order in which informers were made.
  auto next = all.begin();
  std::erase_if(followers_, [&](const Follower& each) {
    const bool is_left = next != all.end() && *next == each.informer;
    if (is_left) ++next;
    return !is_left;
  });
  for (std::size_t i = followers_.size(); i < all.size(); ++i) {
    if (const Status s = all[i]->prepare(); !s.ok()) fail(s.message());
    followers_.push_back({.informer = all[i]});
  }
  return followers_;
}

std::optional<Revision> Caches::limit(const std::string& qualified) const {
  const auto held = held_.find(qualified);
  return held == held_.end() ? std::nullopt : std::optional(held->second);
}

std::optional<Revision> Caches::lagging_at(const std::string& qualified) const {
  auto found = lags_.find(qualified);
  if (found == lags_.end()) found = lags_.find("");
  if (found == lags_.end()) return std::nullopt;
  return std::min(found->second, server_.revision());
}

bool Caches::is_behind(const Follower& follower) const {
  if (follower.at == clock_.now() && follower.interrupts == interrupts_ &&
      follower.followed == server_.revision() && !may_be_verified(follower)) {
    return false;
  }
  const host::ResourceId& resource = follower.informer->resource();
  const auto served = server_.find(resource.group, resource.version, resource.resource);
  if (served == nullptr) return !follower.is_missing;
  if (follower.is_missing || !follower.at) return true;
  if (const auto limited = limit(resource.text())) return follower.seen < *limited;
  if (*follower.at != clock_.now() || follower.interrupts != interrupts_) return true;
  if (may_be_verified(follower) && follower.quiet_watches < kQuietWatches) return true;
  const std::vector<Revision>& changes = server_.changes(*served);
  const Revision shown = lagging_at(resource.text()).value_or(server_.revision());
  const auto hidden = std::upper_bound(changes.begin(), changes.end(), shown);
  return hidden != changes.begin() && follower.seen < *std::prev(hidden);
}

/// Nothing reports the next page of a list, nor the verification of a content of several pages,
/// which takes a probe, a watch and perhaps a list. None is under way when two watches have ended
/// one after the other.
bool Caches::may_be_verified(const Follower& follower) const {
  const bool lists_pages = follower.is_listing && page_size_ != kOnePage;
  return lists_pages || follower.informer->store().size() > page_size_;
}

void Caches::step(Follower& follower) {
  current_ = &follower;
  follower.waits_until = follower.informer->reflector().step({});
  current_ = nullptr;
}

void Caches::follow() {
  factory_->release_unused(clock_.now());
  notice_restored_server();
  for (Follower& each : followers()) {
    each.quiet_watches = 0;
    const bool is_held = limit(each.informer->resource().text()).has_value();
    if (!is_held && each.at && *each.at != clock_.now()) {
      static_cast<void>(each.informer->tick(clock_.now()));
    }
    while (is_behind(each)) {
      step(each);
      if (each.waits_until) break;
    }
    if (!is_held && !each.waits_until) {
      each.followed = lagging_at(each.informer->resource().text()).value_or(server_.revision());
    }
  }
}

std::optional<Time> Caches::next_due() const {
  std::optional<Time> due;
  for (const Follower& each : followers_) {
    if (!each.waits_until || !is_behind(each)) continue;
    due = std::min(due.value_or(*each.waits_until), *each.waits_until);
  }
  return due;
}

HttpServerResponse Caches::ask(const host::Selection& what, const host::ReflectorRequest& request) {
  Result<HttpRequest> built = host::build_request(to_api_request(what, request), "davit-test");
  if (!built) fail(built.error().message());
  return server_.handle(sandbox::to_server_request(std::move(*built)));
}

HttpServerResponse Caches::ask_cache(const host::Selection& what,
                                     const host::ReflectorRequest& request, Revision shown) {
  const std::uint64_t asked = host::parse_version(request.resource_version).value_or(0);
  if (asked > shown) return sandbox::to_response(sandbox::future_revision(asked, shown));
  Result<HttpRequest> built = host::build_request(to_api_request(what, request), "davit-test");
  if (!built) fail(built.error().message());
  const HttpServerRequest list = sandbox::to_server_request(std::move(*built));
  sandbox::RequestFacts facts;
  facts.verb = "list";
  return server_.handle(sandbox::stale_question(list, facts, shown).value_or(list));
}

Status Caches::stream(const host::Selection& what, const host::ReflectorRequest& request,
                      std::stop_token stop, const ChunkSink& sink) {
  const std::string resource = what.resource.text();
  if (stop.stop_requested()) return {Code::kCancelled, "interrupted"};
  if (broken_.contains(resource)) return {Code::kUnavailable, "the connection is lost"};
  const auto served =
      server_.find(what.resource.group, what.resource.version, what.resource.resource);
  if (request.kind == host::ReflectorRequest::Kind::kList) ++lists_[resource];
  const bool is_list = request.kind == host::ReflectorRequest::Kind::kList;
  const bool is_consistent = is_list && request.resource_version.empty();
  if (is_consistent && clock_.now() < consistent_from_) {
    return {Code::kUnavailable, "the server answers no consistent list"};
  }
  current_->is_missing = served == nullptr;
  if (served == nullptr) {
    const HttpServerResponse refused = ask(what, request);
    return host::decode_response(to_api_request(what, request),
                                 {.http_status = refused.status,
                                  .content_type = refused.content_type,
                                  .retry_after_seconds = {}},
                                 refused.body);
  }
  const std::vector<Revision>& changes = server_.changes(*served);
  const bool is_watch = request.kind == host::ReflectorRequest::Kind::kWatch;
  const bool is_quiet = is_watch && (changes.empty() || changes.back() <= current_->seen);
  const Revision cached = lagging_at(resource).value_or(server_.revision());
  const Revision shown = std::min(limit(resource).value_or(server_.revision()), cached);
  const auto next = std::upper_bound(changes.begin(), changes.end(), current_->seen);
  // Else each step of a cache that lags far behind would read all that it does not show.
  const bool is_hidden = is_watch && next != changes.end() && *next > shown;
  // Without a version a list is consistent, whatever the server's cache shows.
  const bool is_cached =
      is_list && !request.resource_version.empty() && cached < server_.revision();
  HttpServerResponse response = is_quiet || is_hidden ? HttpServerResponse()
                                : is_cached           ? ask_cache(what, request, cached)
                                                      : ask(what, request);
  if (response.status != 200) return host::api_status(response.body);

  if (Status s = sink(""); !s.ok()) return s;
  current_->at = clock_.now();
  current_->interrupts = interrupts_;
  if (is_list) {
    current_->quiet_watches = 0;
    current_->is_listing = true;
    const bool is_probe = !request.begin_collection && request.continue_token.empty();
    if (!is_probe) current_->seen = is_cached ? cached : server_.revision();
    return sink(response.body);
  }
  current_->seen = std::max(current_->seen, shown);
  if (++current_->quiet_watches == kQuietWatches) current_->is_listing = false;
  if (is_quiet) {
    // The bookmark is a doubt, which the next request decides.
    if (std::exchange(current_->is_before_restore, false)) current_->at.reset();
    return current_->gets_bookmarks ? sink(bookmark(what, *served)) : Status();
  }
  if (is_hidden) return {};
  std::string events;
  static_cast<void>(response.stream->read(events, std::numeric_limits<std::size_t>::max() / 2));
  return sink(up_to(std::move(events), shown, server_.revision()));
}

void Caches::hold(std::string_view resource) {
  const std::string name = qualified_name(resource);
  Revision seen = 0;
  for (const Follower& each : followers()) {
    if (each.informer->resource().text() == name) seen = std::max(seen, each.seen);
  }
  held_.emplace(name, seen == 0 ? server_.revision() : seen);
}

void Caches::lag(std::string_view resource, Revision shown) {
  lags_[resource.empty() ? "" : qualified_name(resource)] = shown;
}

std::string Caches::qualified_name(std::string_view resource) const {
  const sandbox::ResourcePtr served = server_.find(resource);
  return served == nullptr ? std::string(resource) : served->qualified_name();
}

void Caches::notice_restored_server() {
  const Revision before = std::exchange(known_revision_, server_.revision());
  if (server_.revision() >= before) return;
  for (Follower& each : followers()) {
    each.at.reset();  // It is asked again.
    each.gets_bookmarks = each.is_before_restore = true;
    each.seen = std::min(each.seen, server_.revision());
  }
}

std::string Caches::bookmark(const host::Selection& what, const sandbox::Resource& resource) const {
  const bool is_metadata = what.form == host::ObjectForm::kMetadata;
  Tree object = Tree::object(
      {{"kind", is_metadata ? "PartialObjectMetadata" : resource.kind},
       {"apiVersion", is_metadata ? "meta.k8s.io/v1" : resource.api_version()},
       {"metadata", Tree::object({{"resourceVersion", std::to_string(current_->seen)}})}});
  return to_text(Tree::object({{"type", "BOOKMARK"}, {"object", std::move(object)}})) + "\n";
}

void Caches::release(std::string_view resource) { held_.erase(qualified_name(resource)); }

bool Caches::release_one(std::string_view resource) {
  const sandbox::ResourcePtr served = server_.find(resource);
  const auto held = served == nullptr ? held_.end() : held_.find(served->qualified_name());
  if (held == held_.end()) return false;
  const std::vector<Revision>& changes = server_.changes(*served);
  const auto next = std::upper_bound(changes.begin(), changes.end(), held->second);
  if (next == changes.end()) return false;
  held->second = *next;
  return true;
}

void Caches::begin_outage(std::string_view resource) {
  const std::string name = qualified_name(resource);
  broken_.insert(name);
  hold(resource);
  for (Follower& each : followers()) {
    if (each.informer->resource().text() != name) continue;
    step(each);  // Finds the connection lost.
    step(each);  // Begins its back-off.
  }
}

void Caches::end_outage(std::string_view resource) {
  broken_.erase(qualified_name(resource));
  release(resource);
}

void Caches::resync(std::string_view resource) {
  const std::string name = qualified_name(resource);
  for (Follower& each : followers()) {
    if (each.informer->resource().text() != name) continue;
    // A resync is due within twice its period.
    static_cast<void>(each.informer->tick(clock_.now() + 2 * host::ReflectorOptions().resync_min));
  }
}

int Caches::lists(std::string_view resource) const {
  const auto found = lists_.find(qualified_name(resource));
  return found == lists_.end() ? 0 : found->second;
}

int Caches::verifications(std::string_view resource) const {
  const auto found = verifications_.find(qualified_name(resource));
  return found == verifications_.end() ? 0 : found->second;
}

}  // namespace davit::testing
