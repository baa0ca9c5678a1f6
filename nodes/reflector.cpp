#include "nodes/reflector.hpp"

#include <charconv>
#include <utility>

#include "host/api/response_status.hpp"
#include "host/object/api_status.hpp"
#include "lib/base/take_until.hpp"

namespace davit::sandbox {
namespace {

using Cause = host::StreamEnd::Cause;

/// A laptop's server returns quickly, and the nodes' two collections are read in pages.
host::ReflectorOptions options() {
  host::ReflectorOptions out;
  out.streaming_list = false;
  out.backoff_base = std::chrono::milliseconds(200);
  out.backoff_max = std::chrono::seconds(10);
  return out;
}

/// "/apis/apps/v1/namespaces/default/deployments": a group, a version and a resource; without the
/// first if it begins with "/api/".
host::ExpectedKind::Resource collection_at(std::string_view path) {
  host::ExpectedKind::Resource out;
  path.remove_prefix(1);
  if (take_until(path, "/") == "apis") out.group = take_until(path, "/");
  out.version = take_until(path, "/");
  out.resource = path.substr(path.rfind('/') + 1);
  return out;
}

host::StreamEnd end_with(Cause cause, Status status) { return {cause, std::move(status), {}, {}}; }

}  // namespace

std::string key_of(const Json& object) {
  return object.text_at({"metadata", "namespace"}) + '/' + object.text_at({"metadata", "name"});
}

std::uint64_t version_of(const Json& object) {
  const std::string& text = object.text_at({"metadata", "resourceVersion"});
  std::uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

Reflector::Reflector(Seams seams, std::string path, Handlers handlers)
    : seams_(std::move(seams)),
      path_(std::move(path)),
      handlers_(std::move(handlers)),
      expected_(collection_at(path_), host::ExpectedKind::Form::kWhole, nullptr),
      state_(options(), seams_.random) {}

Time Reflector::step() {
  for (;;) {
    if (!response_) {
      const host::ReflectorState::Next next = state_.next(seams_.clock.now());
      if (next.wait_until) return *next.wait_until;
      open(next.request);
    }
    const std::optional<host::StreamEnd> end = read();
    if (!end) return state_.stalled_at();
    response_.reset();
    const host::ReflectorReport report = state_.finish(*end, seams_.clock.now());
    if (report.note == host::ReflectorReport::Note::kPopulated) end_list();
    if (!report.status.ok()) {
      seams_.log.info(1, "Cannot follow", {{"path", path_}, {"err", report.status.message()}});
    }
  }
}

void Reflector::open(const host::ReflectorRequest& request) {
  if (request.begin_collection) listed_.clear();
  response_.emplace(request.kind);
  response_->stream = seams_.api.open(path_ + (response_->lists ? "?" : "?watch=true&") +
                                      query_of(request, "", ""));
}

std::optional<host::StreamEnd> Reflector::read() {
  std::string body;
  const std::optional<TransportEnd> end = response_->stream->read(body);
  const Time now = seams_.clock.now();
  if (response_->stream->http_status() != 200) {
    response_->refusal += body;
  } else {
    if (!state_.opened()) state_.on_open(now);
    if (Status status = feed(body); !status.ok()) {
      return end_with(response_->error_event ? Cause::kErrorEvent : Cause::kUndecodable, status);
    }
    if (!body.empty()) state_.on_sign_of_life(now);
  }
  if (end) return end_of(*end);
  if (now < state_.stalled_at()) return std::nullopt;
  return end_with(Cause::kStalled, Status(Code::kUnavailable, "nothing came any more"));
}

Status Reflector::feed(std::string_view body) {
  if (!response_->lists) {
    return response_->watch.feed(body, [this](host::WatchType type, std::string_view json) {
      return take_event(type, json);
    });
  }
  return response_->list.feed(body, [this](std::string_view json) {
    Result<Json> item = parse_json(json);
    if (!item) return item.error();
    if (Status s = check(*item, Place::kItem); !s.ok()) return s;
    listed_.insert(key_of(*item));
    announce(std::move(*item));
    return Status();
  });
}

host::StreamEnd Reflector::end_of(const TransportEnd& end) {
  if (end.kind != Break::kNone) {
    return end_with(Cause::kBroken, Status(Code::kUnavailable, end.message));
  }
  if (const int http_status = response_->stream->http_status(); http_status != 200) {
    host::ApiRequest request;
    request.raw_path = path_;
    const host::ResponseHead head{http_status, {}, std::nullopt};
    return end_with(Cause::kRefused, decode_response(request, head, response_->refusal));
  }
  if (!response_->lists) return {};
  const Status whole = response_->list.finish();
  if (!whole.ok()) return end_with(Cause::kUndecodable, whole);
  const host::ListSplitter& list = response_->list;
  if (!expected_.is_list(list.api_version(), list.kind()) || list.resource_version().empty()) {
    return end_with(Cause::kUndecodable, not_expected());
  }
  return {Cause::kEnded, Status(), response_->list.resource_version(),
          response_->list.continue_token()};
}

Status Reflector::take_event(host::WatchType type, std::string_view json) {
  if (type == host::WatchType::kError) {
    response_->error_event = true;
    return host::api_status(json);
  }
  Result<Json> object = parse_json(json);
  if (!object) return object.error();
  const Place place = type == host::WatchType::kBookmark ? Place::kBookmark : Place::kEvent;
  if (Status s = check(*object, place); !s.ok()) return s;
  const host::ReflectorState::Event event{type, object->text_at({"metadata", "resourceVersion"}),
                                          false};
  if (state_.on_event(event, seams_.clock.now()) != host::ReflectorState::Use::kApply) return {};
  if (type != host::WatchType::kDeleted) {
    announce(std::move(*object));
  } else if (const std::string key = key_of(*object); known_.erase(key) > 0) {
    handlers_.removed(key);
  }
  return {};
}

Status Reflector::check(const Json& object, Place place) const {
  const std::string& api_version = object.text_at({"apiVersion"});
  const std::string& kind = object.text_at({"kind"});
  const bool has_kind = !api_version.empty() || !kind.empty() || place != Place::kItem;
  if (has_kind && !expected_.is_object(api_version, kind)) return not_expected();
  const bool has_name = place == Place::kBookmark || !object.text_at({"metadata", "name"}).empty();
  return has_name && version_of(object) > 0 ? Status() : not_expected();
}

Status Reflector::not_expected() const {
  return {Code::kInvalid, "the response is not one about " + expected_.text()};
}

void Reflector::end_list() {
  for (auto it = known_.begin(); it != known_.end();) {
    if (listed_.contains(*it)) {
      ++it;
      continue;
    }
    const std::string gone = *it;
    it = known_.erase(it);
    handlers_.removed(gone);
  }
  listed_.clear();
  synced_ = true;
}

void Reflector::announce(Json object) {
  known_.insert(key_of(object));
  handlers_.changed(std::move(object));
}

}  // namespace davit::sandbox
