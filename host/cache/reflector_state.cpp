#include "host/cache/reflector_state.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <davit/percent_code.hpp>

#include "host/cache/resource_id.hpp"

namespace davit::host {
namespace {

using Cause = StreamEnd::Cause;
using RequestKind = ReflectorRequest::Kind;
using Note = ReflectorReport::Note;

/// The server's caches may be older than what we saw already, but they are cheap to list.
constexpr std::string_view kAnyVersion = "0";

bool is_any(std::string_view version) { return version.empty() || version == kAnyVersion; }

void add_parameter(std::string& query, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!query.empty()) query += '&';
  query += name;
  query += '=';
  query += percent_escaped(value, "-._~");
}

}  // namespace

std::string query_of(const ReflectorRequest& request, std::string_view label_selector,
                     std::string_view field_selector) {
  std::string query;
  add_parameter(query, "labelSelector", label_selector);
  add_parameter(query, "fieldSelector", field_selector);
  add_parameter(query, "resourceVersion", request.resource_version);
  if (request.limit > 0) add_parameter(query, "limit", std::to_string(request.limit));
  add_parameter(query, "continue", request.continue_token);
  if (request.kind == RequestKind::kList) return query;
  add_parameter(query, "allowWatchBookmarks", "true");
  add_parameter(query, "timeoutSeconds", std::to_string(request.timeout.count()));
  if (request.kind == RequestKind::kStreamingList) {
    add_parameter(query, "resourceVersionMatch", "NotOlderThan");
    add_parameter(query, "sendInitialEvents", "true");
  }
  return query;
}

Failure classify(const Status& status) {
  if (mutant("expired-version")) return Failure::kOther;
  if (status.code() == Code::kExpired) return Failure::kExpired;
  if (status.code() == Code::kThrottled) return Failure::kThrottled;
  if (const ApiDetail* detail = status.detail()) {
    if (detail->reason == "Expired" || detail->reason == "Gone") return Failure::kExpired;
    if (detail->http_status == 429) return Failure::kThrottled;
  }
  if (status.has_cause("ResourceVersionTooLarge") ||
      status.message().find("Too large resource version") != std::string::npos) {
    return Failure::kTooLarge;
  }
  return Failure::kOther;
}

ReflectorState::Next ReflectorState::next(Time now, std::optional<std::size_t> held) {
  if (!backoff_since_) backoff_since_ = now;
  if (backoff_wanted_) {
    backoff_wanted_ = false;
    wait_until_ = now + next_delay(now);
  }
  if (wait_until_ && now < *wait_until_) return {.wait_until = wait_until_, .request = {}};
  wait_until_.reset();

  if (phase_ == Phase::kStart) {
    if (options_.streaming_list && !mutant("latest-state")) {
      phase_ = Phase::kStreamingList;
    } else {
      begin_list();
    }
  }
  started_ = now;
  events_ = 0;
  bookmarks_ = false;
  opened_at_.reset();
  stream_limit_ = Time::max();
  Next next;
  if (phase_ == Phase::kProbing) {
    next.request = probe_request(held);
  } else {
    next.request = phase_ == Phase::kListing ? list_request() : watch_request(now);
  }
  if (phase_ == Phase::kWatching && received_at_ == Time{}) received_at_ = now;
  if (next.request.begin_collection) {
    // Without a version the server returns its most recent state.
    content_as_of_ = next.request.resource_version.empty() ? std::optional(now) : std::nullopt;
    next.request.is_other_history = is_other_history_;
  }
  on_sign_of_life(now);
  return next;
}

void ReflectorState::on_server_response(Time now) {
  if (!lost_server() || now - options_.early_retry_gap < early_retry_at_) return;
  early_retry_at_ = now;
  wait_until_.reset();
  backoff_.reset();
}

void ReflectorState::on_open(Time now) {
  opened_at_ = now;
  note_contact(now);
  on_sign_of_life(now);
}

void ReflectorState::begin_list() {
  phase_ = Phase::kListing;
  list_ = ListRun{};
  if (!unavailable_) {
    list_.first_version = last_version_.empty() ? std::string(kAnyVersion) : last_version_;
  }
  // A list at a known version comes from the server's watch cache, which ignores limits.
  const bool whole = !is_any(list_.first_version) && !paged_zero_;
  list_.limit = whole ? 0 : options_.page_size;
}

ReflectorRequest ReflectorState::list_request() const {
  ReflectorRequest request;
  request.kind = RequestKind::kList;
  request.limit = list_.limit;
  request.begin_collection = list_.pages == 0;
  if (list_.pages == 0) {
    request.resource_version = list_.first_version;
  } else {
    request.continue_token = list_.continue_token;
  }
  return request;
}

ReflectorRequest ReflectorState::watch_request(Time now) {
  ReflectorRequest request;
  const bool streaming = phase_ == Phase::kStreamingList;
  request.kind = streaming ? RequestKind::kStreamingList : RequestKind::kWatch;
  request.begin_collection = streaming;
  if (!streaming || !unavailable_) request.resource_version = last_version_;
  const auto least = static_cast<double>(options_.watch_timeout_min.count());
  request.timeout = std::chrono::seconds(static_cast<std::int64_t>(least + random_.unit() * least));
  from_any_version_ = is_any(request.resource_version);
  Duration slack = options_.watch_slack;
  if (phase_ == Phase::kWatching && goal_) {
    request.timeout = options_.verifying_watch;
    slack = options_.short_watch_slack;
  } else if (phase_ == Phase::kWatching && is_quiet()) {
    slack = std::min(options_.short_watch_slack, *silence_cap_ / 2);
    request.timeout =
        std::max(std::chrono::seconds(1),
                 std::chrono::duration_cast<std::chrono::seconds>(*silence_cap_ - slack));
  }
  stream_limit_ = now + request.timeout + slack;
  return request;
}

bool ReflectorState::is_quiet() const {
  if (!silence_cap_) return false;
  const std::optional<Duration> usual = silence_.limit();
  return !usual || *usual > *silence_cap_;
}

std::optional<Duration> ReflectorState::silence_limit() const {
  if (mutant("silence")) return std::nullopt;
  std::optional<Duration> limit = silence_cap_;
  const auto add = [&limit](std::optional<Duration> other) {
    if (other) limit = limit ? std::min(*limit, *other) : *other;
  };
  if (phase_ != Phase::kWatching) {
    add(options_.list_silence_max);
    return limit;
  }
  if (bookmarks_) add(options_.bookmark_silence_max);
  add(silence_.limit());
  return limit;
}

ReflectorState::Use ReflectorState::on_event(const Event& event, Time now) {
  ++events_;
  if (event.type == WatchType::kBookmark) bookmarks_ = sends_bookmarks_ = true;
  note_contact(now);
  if (phase_ == Phase::kWatching) {
    silence_.received(now);
    if (event.type != WatchType::kBookmark) note_change(now);
    suspect_since_.reset();
    received_at_ = now;
  }
  on_sign_of_life(now);
  if (phase_ == Phase::kStreamingList) {
    if (event.type != WatchType::kBookmark) return Use::kCollect;
    if (!event.ends_initial) return Use::kNothing;
    if (is_behind(event.resource_version)) {
      behind_ = event.resource_version;
      return Use::kBehind;
    }
    // This stream counts as a watch that begins now.
    phase_ = Phase::kWatching;
    unavailable_ = is_other_history_ = false;
    last_version_ = std::string(event.resource_version);
    from_any_version_ = false;
    started_ = opened_at_.emplace(now);
    received_at_ = now;
    events_ = 0;
    note_verified();
    on_sign_of_life(now);
    return Use::kPopulate;
  }
  if (event.type != WatchType::kAdded) from_any_version_ = false;
  if (event.type == WatchType::kBookmark && mutant("bookmarks")) return Use::kNothing;
  if (event.type == WatchType::kBookmark && is_behind(event.resource_version)) {
    behind_ = event.resource_version;
    return Use::kBehind;
  }
  if (!from_any_version_ && !event.resource_version.empty()) {
    last_version_.assign(event.resource_version);
    if (goal_) note_verified();
  }
  return event.type == WatchType::kBookmark ? Use::kBookmark : Use::kApply;
}

void ReflectorState::on_sign_of_life(Time now) {
  stalled_at_ = stream_limit_;
  if (const auto limit = silence_limit()) stalled_at_ = std::min(stalled_at_, now + *limit);
}

/// The server is there.
void ReflectorState::note_contact(Time now) {
  if (!opened_at_) opened_at_ = now;
  lost_ = false;
  if (!followed_since_) followed_since_ = now;
  if (!broken_since_) return;
  if (now - *broken_since_ > options_.outage_min) followed_since_ = now;
  broken_since_.reset();
}

/// Events that arrive at once through a watch that follows a silent one show that the silent one
/// was stalled.
void ReflectorState::note_change(Time now) {
  if (!suspect_since_ || now - *opened_at_ > options_.backlog_time) return;
  if (now - *suspect_since_ > options_.outage_min) followed_since_ = now;
}

void ReflectorState::note_end(const StreamEnd& end, Time now) {
  switch (end.cause) {
    case Cause::kStalled:
      if (phase_ == Phase::kWatching && opened_at_) {
        silence_.renewed();
        if (!suspect_since_) suspect_since_ = received_at_;
        return;
      }
      break;
    case Cause::kEnded:
      if (opened_at_ || phase_ != Phase::kWatching) return;
      break;
    case Cause::kRefused:
    case Cause::kErrorEvent:
      if (classify(end.status) != Failure::kOther) return;
      break;
    case Cause::kBroken:
    case Cause::kUndecodable:
      break;
    default:
      return;
  }
  if (!broken_since_) broken_since_ = opened_at_ ? now : started_;
}

/// Called whenever last_version_ has moved.
void ReflectorState::note_verified() {
  if (content_as_of_) verified_ = std::exchange(content_as_of_, std::nullopt);
  if (goal_ && parse_version(last_version_).value_or(0) >= goal_->version) reach_goal();
}

bool ReflectorState::is_behind(std::string_view version) const {
  const std::optional<std::uint64_t> theirs = parse_version(version);
  const std::optional<std::uint64_t> ours = parse_version(last_version_);
  return theirs && ours && *theirs < *ours && !mutant("versions-back");
}

ReflectorReport ReflectorState::fall_behind(std::string_view version) {
  const bool collects = phase_ == Phase::kListing || phase_ == Phase::kStreamingList;
  const bool is_consistent = phase_ == Phase::kProbing || (collects && content_as_of_);
  unavailable_ = true;
  phase_ = Phase::kStart;
  if (!is_consistent) {
    return {.note = Note::kBehind,
            .version = std::string(version),
            .known_version = last_version_,
            .status = {}};
  }
  is_other_history_ = true;
  goal_.reset();
  return {.note = Note::kWentBack,
          .version = std::string(version),
          .known_version = std::exchange(last_version_, {}),
          .status = {}};
}

void ReflectorState::reach_goal() {
  verified_ = std::max(verified_.value_or(Time::min()), goal_->as_of);
  goal_.reset();
}

ReflectorReport ReflectorState::finish(const StreamEnd& end, Time now) {
  stalled_at_ = Time::max();
  if (end.cause == Cause::kStopped) return {};
  note_end(end, now);
  if (end.cause == Cause::kRelist) {
    // The caller has seen a newer state than the caches show: list the most recent one.
    unavailable_ = true;
    phase_ = Phase::kStart;
    return {.note = Note::kRetried, .version = {}, .status = end.status};
  }
  if (end.cause == Cause::kVerify) {
    is_goal_wanted_ = is_comparison_wanted_ = true;
    if (phase_ == Phase::kWatching) phase_ = Phase::kProbing;
    return {.note = Note::kRetried, .version = {}, .status = end.status};
  }
  if (end.cause == Cause::kBehind) return fall_behind(std::exchange(behind_, {}));
  switch (phase_) {
    case Phase::kProbing:
      return finish_probe(end);
    case Phase::kStreamingList:
      return finish_streaming(end, now);
    case Phase::kListing:
      return finish_list(end);
    default:
      return finish_watch(end, now);
  }
}

ReflectorReport ReflectorState::finish_streaming(const StreamEnd& end, Time now) {
  const auto retried = [&] {
    return ReflectorReport{.note = Note::kRetried, .version = {}, .status = end.status};
  };
  switch (end.cause) {
    case Cause::kBroken:
      if (ended_at_once(now)) return unreachable(end.status);
      return retried();
    case Cause::kStalled:  // A server whose watches stand still may still list.
      if (mutant("stalled-streaming-list")) return retried();
      break;
    case Cause::kEnded:
      if (!ended_at_once(now)) return retried();
      break;
    case Cause::kRefused:
    case Cause::kErrorEvent:
      switch (classify(end.status)) {
        case Failure::kThrottled:
          back_off();
          return retried();
        case Failure::kExpired:
        case Failure::kTooLarge:
          unavailable_ = true;
          return retried();
        case Failure::kOther:
          break;
      }
      break;
    default:
      break;
  }
  begin_list();
  return {.note = Note::kStreamingRefused, .version = {}, .status = end.status};
}

ReflectorReport ReflectorState::finish_list(const StreamEnd& end) {
  if (end.cause == Cause::kEnded) return finish_page(end);
  const Failure failure = classify(end.status);
  if (failure == Failure::kExpired && list_.pages > 0) {
    // The pages' snapshot is gone. One list without pages cannot lose its snapshot.
    list_.pages = 0;
    list_.limit = 0;
    list_.continue_token.clear();
    return {.note = Note::kExpired, .version = {}, .status = end.status};
  }
  const bool gone = failure == Failure::kExpired || failure == Failure::kTooLarge;
  if (gone && !list_.unavailable_retried) {
    unavailable_ = true;
    begin_list();
    list_.unavailable_retried = true;
    return {.note = Note::kExpired, .version = {}, .status = end.status};
  }
  return list_again(Note::kListFailed, end.status);
}

ReflectorRequest ReflectorState::probe_request(std::optional<std::size_t> held) {
  ReflectorRequest request;
  compares_ = is_comparison_wanted_ && held && *held <= options_.compared_max;
  request.compares = compares_;
  // One more shows that the server has more.
  request.limit = compares_ ? static_cast<std::uint32_t>(*held) + 1 : 1;
  return request;
}

ReflectorReport ReflectorState::finish_probe(const StreamEnd& end) {
  if (end.cause == Cause::kBroken) return unreachable(end.status);
  const bool compared = std::exchange(is_comparison_wanted_, false) && compares_;
  const std::optional<std::uint64_t> version = parse_version(end.resource_version);
  if (compared && (end.cause != Cause::kEnded || !version)) {
    // Not every server lists metadata; a probe of one object follows.
    if (classify(end.status) == Failure::kThrottled) back_off();
    return {.note = Note::kRetried, .version = {}, .status = end.status};
  }
  if (end.cause != Cause::kEnded || !version) {
    // A list of the most recent state says the same.
    unavailable_ = true;
    return list_again(Note::kListFailed, end.status);
  }
  if (is_behind(end.resource_version)) return fall_behind(end.resource_version);
  phase_ = Phase::kWatching;
  const bool is_same = compared && end.is_same;
  if (is_same) last_version_ = end.resource_version;
  if (std::exchange(is_goal_wanted_, false)) {
    goal_ = Goal{*version, started_};
    note_verified();
  }
  if (!is_same) return {};
  return {.note = Note::kSame, .version = last_version_, .status = {}};
}

ReflectorReport ReflectorState::finish_page(const StreamEnd& end) {
  if (list_.pages++ == 0) list_.version = end.resource_version;
  if (is_behind(list_.version)) return fall_behind(list_.version);
  if (!end.continue_token.empty()) {
    list_.paginated = true;
    list_.continue_token = end.continue_token;
    return {};
  }
  if (list_.first_version == kAnyVersion && list_.paginated) paged_zero_ = true;
  unavailable_ = is_other_history_ = false;
  last_version_ = list_.version;
  phase_ = Phase::kWatching;
  note_verified();
  return {.note = Note::kPopulated, .version = last_version_, .status = {}};
}

ReflectorReport ReflectorState::finish_watch(const StreamEnd& end, Time now) {
  const auto rewatch = [&](Note note) {
    return ReflectorReport{.note = note, .version = {}, .status = end.status};
  };
  switch (end.cause) {
    case Cause::kBroken:
      if (ended_at_once(now)) return unreachable(end.status);
      return rewatch(Note::kRetried);
    case Cause::kEnded:
      if (!opened_at_) {
        return unreachable(Status(Code::kUnavailable, "no connection could be made"));
      }
      if (ended_at_once(now)) {
        return list_again(Note::kWatchTooShort, Status(Code::kUnavailable,
                                                       "the server ended the watch at once, "
                                                       "without an event"));
      }
      if (goal_) return list_for_goal();
      probe_silent_server();
      return rewatch(Note::kRetried);
    case Cause::kStalled:
      if (goal_) return list_for_goal();
      probe_silent_server();
      return rewatch(is_overdue(now) ? Note::kWatchStalled : Note::kWatchSilent);
    case Cause::kRefused:
    case Cause::kErrorEvent:
      if (classify(end.status) == Failure::kThrottled) {
        back_off();
        return rewatch(Note::kRetried);
      }
      if (end.cause == Cause::kRefused) return list_again(Note::kWatchFailed, end.status);
      if (classify(end.status) == Failure::kExpired) return list_again(Note::kExpired, end.status);
      break;
    default:
      break;
  }
  return list_again(Note::kWatchEnded, end.status);
}

/// A server that works sends a bookmark within a minute and before the end, unless its cluster
/// stands still.
void ReflectorState::probe_silent_server() {
  if (events_ == 0 && sends_bookmarks_) phase_ = Phase::kProbing;
}

/// The watch has ended without an event or bookmark at the goal: only a consistent list proves it.
ReflectorReport ReflectorState::list_for_goal() {
  if (mutant("verified-by-end")) {
    reach_goal();
    return {.note = Note::kRetried, .version = {}, .status = {}};
  }
  unavailable_ = true;
  phase_ = Phase::kStart;
  return {.note = Note::kUnproven, .version = {}, .status = {}};
}

ReflectorReport ReflectorState::list_again(ReflectorReport::Note note, const Status& status) {
  phase_ = Phase::kStart;
  back_off();
  return {.note = note, .version = {}, .status = status};
}

/// A server that works would have ended the watch by now, or sent a bookmark.
bool ReflectorState::is_overdue(Time now) const {
  return now >= stream_limit_ ||
         (bookmarks_ && now - received_at_ >= options_.bookmark_silence_max);
}

ReflectorReport ReflectorState::unreachable(const Status& status) {
  lost_ = true;
  back_off();
  return {.note = Note::kUnreachable, .version = {}, .status = status};
}

bool ReflectorState::ended_at_once(Time now) const {
  return events_ == 0 && now - started_ < options_.watch_too_short;
}

void ReflectorState::back_off() { backoff_wanted_ = true; }

Duration ReflectorState::next_delay(Time now) {
  if (now - *backoff_since_ > options_.backoff_reset) {
    backoff_.reset();
    backoff_since_ = now;
  }
  return backoff_.next(random_);
}

}  // namespace davit::host
