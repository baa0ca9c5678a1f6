#include "host/cache/reflector.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "host/object/api_status.hpp"
#include "host/object/metadata.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "lib/base/assert.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit::host {
namespace {

using Cause = StreamEnd::Cause;
using RequestKind = ReflectorRequest::Kind;
using Note = ReflectorReport::Note;

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
/// The longest interval between checks of a stream for silence; its limit may shrink in between.
constexpr Duration kStallCheckPeriod = std::chrono::seconds(5);

/// The suffix of a list's kind behind that of its items.
constexpr std::string_view kListSuffix = "List";

SkippedObject too_large(const ObjectIdentity& identity) {
  return {.identity = identity,
          .reason = SkipReason::kTooLarge,
          .why = "it is larger than " + std::to_string(kObjectBytesMax >> 20) + " MiB"};
}

/// Metadata travels as protobuf for every resource, custom ones included.
WireFormat first_format(const Selection& what, WireFormat wanted) {
  const ResourceId& id = what.resource;
  const std::string api_version = id.group.empty() ? id.version : id.group + '/' + id.version;
  const bool is_known = what.form == ObjectForm::kMetadata || has_schemas(api_version);
  return is_known ? wanted : WireFormat::kJson;
}

Selection metadata_of(Selection what) {
  what.form = ObjectForm::kMetadata;
  return what;
}

/// A bookmark has no name, and a projection may leave out the annotations that it speaks with.
Mask mask_of_bookmarks(ObjectSpace& space) {
  const std::string annotations = "metadata.annotations";
  return space.add_projection({&annotations, 1}).value_or(kFullMask);
}

/// The server does not send what was asked for.
bool is_format_refused(const Status& status) {
  constexpr int kNotAcceptable = 406;
  constexpr int kUnsupportedMediaType = 415;
  const ApiDetail* detail = status.detail();
  return detail != nullptr &&
         (detail->http_status == kNotAcceptable || detail->http_status == kUnsupportedMediaType);
}

bool is_watch_end(Note note) { return note == Note::kWatchEnded || note == Note::kWatchTooShort; }

}  // namespace

Reflector::Reflector(Selection what, ParseOptions parse, const ReflectorSeams& seams, Logger log,
                     const ReflectorOptions& options, std::string known_version)
    : what_(std::move(what)),
      identities_(metadata_of(what_)),
      identities_format_(first_format(identities_, options.format)),
      parse_options_(parse),
      seams_(seams),
      log_(std::move(log), what_.resource),
      state_(options, seams.random, std::move(known_version)),
      decoder_(seams.space),
      format_(first_format(what_, options.format)),
      bookmark_mask_(mask_of_bookmarks(seams.space)) {}

/// The request that runs. Lists have items, watches have events.
struct Reflector::Run {
  Run(ReflectorRequest what, const std::stop_token& stop)
      : request(std::move(what)), chain(stop, Chain{source}) {}

  struct Chain {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  const ReflectorRequest request;
  std::stop_source source;
  const std::stop_callback<Chain> chain;
  bool is_probe = false;
  std::optional<EitherListSplitter> items;
  std::optional<EitherWatchSplitter> events;
  std::unique_ptr<DrivenStream> stream;  // Last, as it uses the others; null in step().
};

Reflector::~Reflector() {
  if (seams_.contact != nullptr) seams_.contact->remove(*this);
}

void Reflector::run(const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    wake_.notify_all();
  });
  while (!stop.stop_requested()) {
    const std::optional<Time> until = step(stop);
    if (!until) continue;
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && !server_responded_ && seams_.clock.now() < *until) {
      seams_.clock.wait_until(wake_, mutex_, *until);
    }
  }
}

std::optional<Time> Reflector::step(const std::stop_token& stop) {
  if (const std::optional<Time> until = begin(stop)) return until;
  expect_kind(seams_.api.catalog(what_.resource, stop));
  finish(seams_.api.stream(selection(run_->request), run_->request, run_->source.get_token(),
                           [this](std::string_view chunk) { return take(chunk); }),
         stop);
  return std::nullopt;
}

void Reflector::join(LoopPlace place) { place_.emplace(place); }

Reflector::Progress Reflector::proceed(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (run_ == nullptr) {
      if (const std::optional<Time> until = begin(stop)) return {.due = *until};
    }
    if (run_->stream == nullptr) {
      if (!seams_.api.is_ready(what_.resource)) return unprepared();
      open();
    }
    std::optional<Status> status = run_->stream->proceed();
    if (status) {
      finish(*std::move(status), stop);
    } else if (run_->stream->must_prepare()) {
      return unprepared();
    } else if (!stop.stop_requested()) {
      return {.due = run_->stream->due()};
    }
  }
  // The request need not have noticed yet.
  if (run_ != nullptr) finish({Code::kCancelled, "stopped"}, stop);
  return {};
}

// One preparation at a time: it also serves a request that begins during it.
Reflector::Progress Reflector::unprepared() {
  return {.must_prepare = !std::exchange(is_preparing_, true)};
}

void Reflector::prepared(const Status& status) {
  is_preparing_ = false;
  if (run_ == nullptr) return;
  if (run_->stream != nullptr) return run_->stream->prepared(status);
  open();  // A catalog that is still in doubt is the best there is.
}

void Reflector::open() {
  expect_kind(seams_.api.known_catalog(what_.resource));
  run_->stream = seams_.api.open(selection(run_->request), run_->request, run_->source.get_token(),
                                 *place_, [this](std::string_view chunk) { return take(chunk); });
  DAVIT_ASSERT(run_->stream != nullptr);
}

std::optional<Time> Reflector::begin(const std::stop_token& stop) {
  const bool waited = state_.lost_server();
  {
    MutexLock lock(mutex_);
    if (silence_max_ != Duration::max()) state_.limit_silence(silence_max_);
    if (std::exchange(server_responded_, false)) state_.on_server_response(seams_.clock.now());
  }
  const bool may_probe = state_.phase() == ReflectorState::Phase::kProbing;
  comparison_ = may_probe ? seams_.target.begin_comparison() : Comparison();
  ReflectorState::Next next = state_.next(seams_.clock.now(), comparison_.held());
  if (seams_.contact != nullptr && waited != state_.lost_server()) {
    waited ? seams_.contact->remove(*this) : seams_.contact->add(*this);
  }
  if (next.wait_until) return next.wait_until;
  next.request.format = next.request.compares ? identities_format_ : format_;
  if (next.request.begin_collection) {
    next_.emplace(seams_.target.begin_replace());
    if (next.request.is_other_history) next_->expect_other_history();
  }
  run_ = std::make_unique<Run>(std::move(next.request), stop);
  make_splitter();
  left_.reset();
  decoder_.expect_envelopes();
  MutexLock lock(mutex_);
  stream_ = run_->source;
  stalled_at_ = state_.stalled_at();
  if (interrupt_ != Interrupt::kNone) run_->source.request_stop();
  return std::nullopt;
}

void Reflector::make_splitter() {
  if (run_->request.kind != RequestKind::kList) {
    run_->events.emplace(LargeEvents{.skip = [this](WatchType type, const ObjectIdentity& object) {
      return skip_event(type, too_large(object));
    }});
    return;
  }
  run_->is_probe = state_.phase() == ReflectorState::Phase::kProbing;
  run_->items.emplace(LargeItems{.skip = [this](const ObjectIdentity& item) {
    run_->is_probe ? comparison_.see(item) : next_->skip(too_large(item));
    return Status();
  }});
}

void Reflector::request_relist() { interrupt(Interrupt::kRelist); }

void Reflector::request_verification() { interrupt(Interrupt::kVerify); }

void Reflector::interrupt(Interrupt why) {
  std::optional<std::stop_source> stream;
  {
    MutexLock lock(mutex_);
    if (interrupt_ != Interrupt::kRelist) interrupt_ = why;
    stream = stream_;
  }
  if (stream) stream->request_stop();
}

void Reflector::limit_silence(Duration longest) {
  MutexLock lock(mutex_);
  silence_max_ = std::min(silence_max_, longest);
}

void Reflector::server_responded() {
  MutexLock lock(mutex_);
  server_responded_ = true;
  wake_.notify_all();
  if (place_) place_->post();
}

Time Reflector::check_stalled(Time now) {
  std::optional<std::stop_source> stream;
  Time again = now + kStallCheckPeriod;
  {
    MutexLock lock(mutex_);
    if (stream_ && now < stalled_at_) again = std::min(again, stalled_at_);
    if (stream_ && now >= stalled_at_ && interrupt_ == Interrupt::kNone) {
      interrupt_ = Interrupt::kStalled;
      stream = stream_;
    }
  }
  if (stream) stream->request_stop();
  return again;
}

Freshness Reflector::freshness() const {
  MutexLock lock(mutex_);
  return freshness_;
}

void Reflector::confirm(Time now) {
  freshness_.confirmed = now;
  if (!freshness_.failing_since) return;
  freshness_.failing_since.reset();
  freshness_.failure = Status();
}

void Reflector::note_freshness(const ReflectorReport& report) {
  const Time now = seams_.clock.now();
  // A watch that the server ended properly had a connection that works.
  using Phase = ReflectorState::Phase;
  const bool ended_properly =
      report.note == Note::kRetried && report.status.ok() &&
      (state_.phase() == Phase::kWatching || state_.phase() == Phase::kProbing);
  MutexLock lock(mutex_);
  const bool listed = report.note == Note::kPopulated || report.note == Note::kSame;
  if (listed || ended_properly) return confirm(now);
  if (!is_failure(report.note) && !is_watch_end(report.note)) return;
  if (!freshness_.failing_since) freshness_.failing_since = now;
  freshness_.failure = report.status;
}

Status Reflector::take(std::string_view chunk) {
  if (run_->source.stop_requested()) return {Code::kCancelled, "interrupted"};
  Time now = seams_.clock.now();
  if (!state_.opened()) state_.on_open(now);
  Status taken = chunk.empty() ? Status() : run_->items ? feed_list(chunk) : feed_watch(chunk);
  seams_.target.pause();
  now = seams_.clock.now();
  state_.on_sign_of_life(now);
  publish();
  MutexLock lock(mutex_);
  stalled_at_ = state_.stalled_at();
  const bool watches = state_.phase() == ReflectorState::Phase::kWatching;
  if (taken.ok() && watches && !chunk.empty()) confirm(now);
  return taken;
}

void Reflector::finish(Status status, const std::stop_token& stop) {
  StreamEnd end = end_of(std::move(status), stop);
  if (end.cause == Cause::kEnded && run_->items) end_list(end);
  const std::unique_ptr<Run> run = std::move(run_);
  carry_out(state_.finish(end, seams_.clock.now()), run->request);
}

StreamEnd Reflector::end_of(Status status, const std::stop_token& stop) {
  Interrupt interrupt = Interrupt::kNone;
  {
    MutexLock lock(mutex_);
    stream_.reset();
    interrupt = std::exchange(interrupt_, Interrupt::kNone);
  }
  const bool may_use_json = format_ == WireFormat::kProtobuf && !run_->request.compares;
  if (!left_ && may_use_json && is_format_refused(status)) status = use_json(status);
  StreamEnd end{.status = std::move(status), .resource_version = {}, .continue_token = {}};
  if (stop.stop_requested()) {
    end.cause = Cause::kStopped;
  } else if (interrupt == Interrupt::kRelist) {
    end.cause = Cause::kRelist;
  } else if (interrupt == Interrupt::kVerify) {
    end.cause = Cause::kVerify;
  } else if (interrupt == Interrupt::kStalled) {
    end.cause = Cause::kStalled;
  } else if (left_) {
    end.cause = *left_;
  } else if (end.status.ok()) {
    end.cause = Cause::kEnded;
  } else if (end.status.code() == Code::kUnavailable && end.status.detail() == nullptr) {
    end.cause = Cause::kBroken;
  } else {
    end.cause = Cause::kRefused;
  }
  return end;
}

Status Reflector::feed_list(std::string_view chunk) {
  EitherListSplitter& splitter = *run_->items;
  const Status status = splitter.feed(chunk, [&](std::string_view item) {
    if (run_->is_probe) {
      comparison_.see(splitter.is_protobuf() ? read_protobuf_identity(item) : read_identity(item));
      return Status();
    }
    if (const Status s = expect_items(splitter); !s.ok()) return s;
    return on_item(item);
  });
  const bool is_protobuf = splitter.is_protobuf() && !run_->request.compares;
  return status.ok() || left_ ? status : undecodable(status, is_protobuf);
}

void Reflector::end_list(StreamEnd& end) {
  EitherListSplitter& splitter = *run_->items;
  end.status = splitter.finish();
  if (end.status.ok()) end.status = check_list(splitter);
  if (!end.status.ok()) {
    const bool cut = end.status.code() == Code::kUnavailable && end.status.detail() == nullptr;
    end.cause = cut ? Cause::kBroken : Cause::kUndecodable;
    if (end.status.detail() != nullptr) end.cause = Cause::kRefused;
    return;
  }
  splitter.visit([&](const auto& list) {
    if (!run_->is_probe && list.kind().ends_with(kListSuffix)) {
      next_->set_kind(list.api_version(),
                      list.kind().substr(0, list.kind().size() - kListSuffix.size()));
    }
    end.resource_version = list.resource_version();
    end.continue_token = list.continue_token();
  });
  end.is_same = end.continue_token.empty() && comparison_.is_same();
}

Status Reflector::feed_watch(std::string_view chunk) {
  EitherWatchSplitter& splitter = *run_->events;
  const Status status = splitter.feed(
      chunk, [this](WatchType type, std::string_view bytes) { return on_event(type, bytes); });
  return status.ok() || left_ ? status : undecodable(status, splitter.is_protobuf());
}

Status Reflector::expect_items(const EitherListSplitter& splitter) {
  if (!splitter.is_protobuf() || decoder_.expects_items()) return {};
  const Status known = splitter.visit(
      [this](const auto& list) { return decoder_.expect_items(list.api_version(), list.kind()); });
  return known.ok() ? known : use_json(known);
}

Status Reflector::on_item(std::string_view bytes) {
  SkippedObject skipped;
  Result<ObjectRef> object = read(bytes, skipped);
  if (object) {
    if (Status s = check_object(*object, Place::kItem); !s.ok()) return s;
    next_->put(*std::move(object));
  } else if (decoder_.fault() == ParseFault::kUnknown) {
    return use_json(object.error());
  } else if (skipped.identity.name.empty() && !mutant("item-name")) {
    return leave(Cause::kUndecodable, object.error().with_context("an item of a list"));
  } else {
    next_->skip(std::move(skipped));
  }
  return Status();
}

Result<ObjectRef> Reflector::read(std::string_view bytes, SkippedObject& skipped) {
  Result<ObjectRef> object = decoder_.parse(bytes, parse_options_);
  const Status status = object ? check_metadata(*object) : object.error();
  if (status.ok()) return object;
  skipped.identity = decoder_.identity(bytes);
  skipped.reason = reason_of(decoder_.fault());
  skipped.why = status.message();
  return status;
}

Status Reflector::skip_event(WatchType type, SkippedObject object) {
  if (type == WatchType::kError || type == WatchType::kBookmark || object.identity.name.empty()) {
    // Without them the position of the watch, or whose state is lost, is unknown.
    return leave(Cause::kUndecodable,
                 Status(Code::kInvalid, object.why).with_context("a watch event"));
  }
  const std::string version = object.identity.resource_version;
  const ReflectorState::Event event{.type = type, .resource_version = version};
  if (state_.on_event(event, seams_.clock.now()) == ReflectorState::Use::kApply) {
    seams_.target.skip(type, std::move(object));
  } else if (type == WatchType::kDeleted) {
    next_->remove(object.identity.ns, object.identity.name);
  } else {
    next_->skip(std::move(object));
  }
  return Status();
}

Status Reflector::on_event(WatchType type, std::string_view bytes) {
  if (type == WatchType::kError) return on_error_event(bytes);
  const bool bookmark = type == WatchType::kBookmark;
  SkippedObject skipped;
  Result<ObjectRef> object =
      bookmark ? decoder_.parse(bytes, {.keep_mask = bookmark_mask_}) : read(bytes, skipped);
  if (!object) {
    if (decoder_.fault() == ParseFault::kUnknown) return use_json(object.error());
    if (bookmark) skipped.why = object.error().message();
    return skip_event(type, std::move(skipped));
  }
  const Status wrong =
      bookmark ? check_kind(*object, Place::kEvent) : check_object(*object, Place::kEvent);
  if (!wrong.ok()) return wrong;
  const std::string_view version = metadata(**object).resource_version;
  if (version.empty()) {
    return leave(Cause::kUndecodable,
                 Status(Code::kInvalid, "a bookmark without metadata.resourceVersion"));
  }
  ReflectorState::Event event{.type = type, .resource_version = version};
  if (bookmark) {
    const Value annotations = object->root()["metadata"]["annotations"];
    event.ends_initial = annotations[kInitialEventsEnd].string() == "true";
  }
  switch (state_.on_event(event, seams_.clock.now())) {
    case ReflectorState::Use::kCollect:
      if (type == WatchType::kDeleted) {
        next_->remove(metadata(**object).ns, metadata(**object).name);
      } else {
        next_->put(*std::move(object));
      }
      break;
    case ReflectorState::Use::kApply:
      seams_.target.apply(type, *std::move(object));
      break;
    case ReflectorState::Use::kBookmark:
      seams_.target.bookmark(version);
      decoder_.release();  // Once a minute: a watch that was busy before may be quiet now.
      break;
    case ReflectorState::Use::kPopulate:
      carry_out(
          {.note = Note::kPopulated, .version = std::string(version), .status = {}},
          {.kind = RequestKind::kStreamingList, .resource_version = {}, .continue_token = {}});
      break;
    case ReflectorState::Use::kBehind:
      return leave(Cause::kBehind, {Code::kExpired, "the watch is behind what was seen"});
    case ReflectorState::Use::kNothing:
      break;
  }
  return Status();
}

Status Reflector::on_error_event(std::string_view bytes) {
  return leave(Cause::kErrorEvent, api_status(bytes));
}

void Reflector::expect_kind(std::shared_ptr<const ApiCatalog> catalog) {
  const ResourceId& id = what_.resource;
  const bool is_metadata = selection(run_->request).form == ObjectForm::kMetadata;
  expected_.emplace(ExpectedKind::Resource{id.group, id.version, id.resource},
                    is_metadata ? ExpectedKind::Form::kMetadata : ExpectedKind::Form::kWhole,
                    std::move(catalog));
  if (!run_->request.begin_collection) return;
  api_version_.clear();
  kind_.clear();
}

Status Reflector::check_kind(const ObjectRef& object, Place place) {
  const Value root = object.root();
  const std::string_view api_version = root["apiVersion"].string();
  const std::string_view kind = root["kind"].string();
  const bool has_kind = !api_version.empty() || !kind.empty();
  // Servers leave out kind and apiVersion of the items of built-in kinds.
  if ((has_kind || place == Place::kEvent) && (api_version != api_version_ || kind != kind_)) {
    const bool is_expected = kind_.empty() && expected_->is_object(api_version, kind);
    if (!is_expected && !mutant("event-kind")) return other_kind("object", api_version, kind);
    api_version_ = api_version;
    kind_ = kind;
  }
  return {};
}

Status Reflector::check_object(const ObjectRef& object, Place place) {
  if (Status s = check_kind(object, place); !s.ok()) return s;
  const Metadata meta = metadata(*object);
  const bool is_stored = !meta.uid.empty() && !meta.resource_version.empty();
  if (is_stored || mutant("item-metadata")) return {};
  return leave(
      Cause::kUndecodable,
      Status(Code::kInvalid, "an object without metadata.uid or metadata.resourceVersion"));
}

Status Reflector::check_list(const EitherListSplitter& splitter) {
  return splitter.visit([this](const auto& list) {
    if (!expected_->is_list(list.api_version(), list.kind())) {
      return other_kind("list", list.api_version(), list.kind());
    }
    // Without it the next watch would begin anywhere.
    const bool has_version = !list.resource_version().empty() || mutant("list-version");
    return has_version ? Status()
                       : Status(Code::kInvalid, "a list without metadata.resourceVersion");
  });
}

Status Reflector::other_kind(std::string_view what, std::string_view api_version,
                             std::string_view kind) {
  constexpr std::size_t kShownMax = 128;
  seams_.api.doubt_catalog();
  std::string text = "the response has a";
  text.append(what == "object" ? "n " : " ").append(what).append(" of kind \"");
  text.append(kind.substr(0, kShownMax)).append("\" and apiVersion \"");
  text.append(api_version.substr(0, kShownMax)).append("\" instead of ").append(expected_->text());
  return leave(Cause::kUndecodable, Status(Code::kWrongType, std::move(text)));
}

Status Reflector::undecodable(const Status& why, bool is_protobuf) {
  return is_protobuf ? use_json(why) : leave(Cause::kUndecodable, why);
}

Status Reflector::use_json(const Status& why) {
  // A server that sends protobuf to a request for JSON is asked again after a back-off.
  if (format_ == WireFormat::kJson) return leave(Cause::kUndecodable, why);
  format_ = WireFormat::kJson;
  seams_.metrics.fell_back_to_json();
  log_.fell_back_to_json(why);
  return leave(Cause::kRelist, why);
}

Status Reflector::leave(Cause cause, Status status) {
  left_ = cause;
  return status;
}

void Reflector::publish() {
  const std::optional<Time> verified = state_.verified();
  bool news = false;
  {
    MutexLock lock(mutex_);
    freshness_.followed_since = state_.followed_since();
    news = freshness_.verified != verified;
    freshness_.verified = verified;
  }
  if (news) seams_.target.verified();
}

void Reflector::carry_out(const ReflectorReport& report, const ReflectorRequest& request) {
  if (report.note == Note::kPopulated) {
    Replacement content = *std::exchange(next_, std::nullopt);
    seams_.target.replace(std::move(content), report.version);
    seams_.metrics.listed();
    decoder_.release();
  }
  if (report.note == Note::kSame) seams_.target.bookmark(report.version);
  if (report.note == Note::kWatchStalled) seams_.metrics.stalled_watch();
  const bool is_doubt = report.note == Note::kUnproven || report.note == Note::kBehind;
  if (is_doubt) seams_.metrics.relist_requested(RelistReason::kVerification);
  if (report.note == Note::kWentBack) {
    seams_.metrics.relist_requested(RelistReason::kWentBack);
    seams_.target.went_back(report.known_version, report.version);
  }
  if (is_failure(report.note)) seams_.target.failed(report.status);
  note_freshness(report);
  publish();
  if (report.note == Note::kPopulated) seams_.target.verified();
  log_.report(report, request, state_.last_version());
}

}  // namespace davit::host
