#include "host/cache/reflector_state.hpp"

#include <algorithm>

namespace davit::host {
namespace {

using Cause = StreamEnd::Cause;
using RequestKind = ReflectorRequest::Kind;
using Note = ReflectorReport::Note;

/// The server's caches may be older than what we saw already, but they are cheap to list.
constexpr std::string_view kAnyVersion = "0";

bool is_any(std::string_view version) { return version.empty() || version == kAnyVersion; }

void add_parameter(std::string& query, std::string_view name, std::string_view value) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  if (value.empty()) return;
  if (!query.empty()) query += '&';
  query += name;
  query += '=';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      query += c;
    } else {
      query += '%';
      query += kHex[byte >> 4];
      query += kHex[byte & 15];
    }
  }
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

ReflectorState::Next ReflectorState::next(Time now) {
  if (!backoff_since_) backoff_since_ = now;
  if (backoff_wanted_) {
    backoff_wanted_ = false;
    wait_until_ = now + next_delay(now);
  }
  if (wait_until_ && now < *wait_until_) return {.wait_until = wait_until_, .request = {}};
  wait_until_.reset();

  if (phase_ == Phase::kStart) {
    if (options_.streaming_list) {
      phase_ = Phase::kStreamingList;
    } else {
      begin_list();
    }
  }
  started_ = now;
  events_ = 0;
  bookmarks_ = false;
  if (phase_ == Phase::kListing) {
    stream_limit_ = Time::max();
    deaf_at_ = now + options_.list_silence_max;
    return {.wait_until = {}, .request = list_request()};
  }
  return {.wait_until = {}, .request = watch_request(now)};
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
  request.collect_anew = list_.pages == 0;
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
  request.collect_anew = streaming;
  if (!streaming || !unavailable_) request.resource_version = last_version_;
  const auto least = static_cast<double>(options_.watch_timeout_min.count());
  request.timeout = std::chrono::seconds(static_cast<std::int64_t>(least + random_.unit() * least));
  from_any_version_ = is_any(request.resource_version);
  stream_limit_ = now + request.timeout + options_.watch_slack;
  deaf_at_ = stream_limit_;
  return request;
}

ReflectorState::Use ReflectorState::on_event(const Event& event, Time now) {
  ++events_;
  if (event.type == WatchType::kBookmark) bookmarks_ = true;
  on_sign_of_life(now);
  if (phase_ == Phase::kStreamingList) {
    if (event.type != WatchType::kBookmark) return Use::kCollect;
    if (!event.ends_initial) return Use::kNothing;
    // From here on this stream counts as a watch that begins now.
    phase_ = Phase::kWatching;
    unavailable_ = false;
    last_version_ = std::string(event.resource_version);
    from_any_version_ = false;
    started_ = now;
    events_ = 0;
    return Use::kPopulate;
  }
  if (event.type != WatchType::kAdded) from_any_version_ = false;
  if (!from_any_version_ && !event.resource_version.empty()) {
    last_version_.assign(event.resource_version);
  }
  return event.type == WatchType::kBookmark ? Use::kBookmark : Use::kApply;
}

void ReflectorState::on_sign_of_life(Time now) {
  if (phase_ == Phase::kListing) {
    deaf_at_ = now + options_.list_silence_max;
  } else if (bookmarks_) {
    deaf_at_ = std::min(stream_limit_, now + options_.bookmark_silence_max);
  }
}

ReflectorReport ReflectorState::finish(const StreamEnd& end, Time now) {
  deaf_at_ = Time::max();
  if (end.cause == Cause::kStopped) return {};
  if (end.cause == Cause::kRelist) {
    // Whoever asks knows of a newer state than the caches show: list the most recent one.
    unavailable_ = true;
    phase_ = Phase::kStart;
    return {.note = Note::kRetried, .version = {}, .status = end.status};
  }
  switch (phase_) {
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
    case Cause::kDeaf:
      return retried();
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

ReflectorReport ReflectorState::finish_page(const StreamEnd& end) {
  if (list_.pages++ == 0) list_.version = end.resource_version;
  if (!end.continue_token.empty()) {
    list_.paginated = true;
    list_.continue_token = end.continue_token;
    return {};
  }
  if (list_.first_version == kAnyVersion && list_.paginated) paged_zero_ = true;
  unavailable_ = false;
  last_version_ = list_.version;
  phase_ = Phase::kWatching;
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
      if (ended_at_once(now)) {
        return list_again(Note::kWatchTooShort, Status(Code::kUnavailable,
                                                       "the server ended the watch at once, "
                                                       "without an event"));
      }
      return rewatch(Note::kRetried);
    case Cause::kDeaf:
      return rewatch(Note::kWatchDeaf);
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

ReflectorReport ReflectorState::list_again(ReflectorReport::Note note, const Status& status) {
  phase_ = Phase::kStart;
  back_off();
  return {.note = note, .version = {}, .status = status};
}

ReflectorReport ReflectorState::unreachable(const Status& status) {
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
