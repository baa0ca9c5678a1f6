/// Decides what a reflector does next: the rules of list and watch, without clock, threads or
/// network.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/cache/silence.hpp"
#include "host/object/watch_splitter.hpp"
#include "lib/base/backoff.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// The form of objects in responses.
enum class WireFormat {
  kJson,
  kProtobuf,  ///< For group versions in our tables, and for metadata; all else travels as JSON.
};

/// Durations and sizes are upstream's (client-go, tools/cache/reflector.go) unless a comment says
/// otherwise.
struct ReflectorOptions {
  /// Try to fill the cache by a watch with sendInitialEvents first; a server without it costs one
  /// refused request.
  bool streaming_list = true;
  std::uint32_t page_size = 500;
  /// The form that requests ask for; a server may respond in JSON all the same.
  WireFormat format = WireFormat::kProtobuf;
  /// Listeners of the informer get every unchanged object again once in rand[1,2) times this
  /// (upstream's --min-resync-period); zero: never.
  Duration resync_min = std::chrono::hours(12);
  Duration backoff_base = std::chrono::milliseconds(800);
  Duration backoff_max = std::chrono::seconds(30);
  Duration backoff_reset = std::chrono::minutes(2);
  /// Watches last a random time in [1,2) times this.
  std::chrono::seconds watch_timeout_min{300};
  /// A watch that ends sooner, without an event, did not work.
  Duration watch_too_short = std::chrono::seconds(1);
  /// davit only: how much longer than its timeout a watch may last before it counts as dead.
  Duration watch_slack = std::chrono::seconds(30);
  /// Ours: a server that sent a bookmark sends one about every minute; three missed ones mean a
  /// stalled watch.
  Duration bookmark_silence_max = std::chrono::seconds(190);
  /// Ours: no list pauses so long; the server itself gives up after 60 s.
  Duration list_silence_max = std::chrono::seconds(90);
  /// Ours: how long after its timeout the end of a watch may come that was made short because its
  /// silence is limited (see ReflectorState::limit_silence()).
  Duration short_watch_slack = std::chrono::seconds(5);
  /// Ours: requests that fail for longer than this are an outage. A load balancer that cuts a
  /// connection is none.
  Duration outage_min = std::chrono::seconds(5);
  /// Ours: if a renewed watch delivers an event within this time, the one before was stalled.
  Duration backlog_time = std::chrono::seconds(2);
  /// Ours: a watch that lasts so long brings a bookmark a second after it began, which says how far
  /// the server's cache is.
  std::chrono::seconds verifying_watch{3};
  /// Ours: a content of at most so many objects is verified by comparing identities. A server
  /// spends about 10 µs on each, so a larger one waits for a bookmark instead.
  std::size_t compared_max = 50'000;
  /// Ours: a lost server that responds to other requests is tried again before the back-off is
  /// over, but not more often than this.
  Duration early_retry_gap = std::chrono::seconds(1);
};

/// One request for the reflector to send.
struct ReflectorRequest {
  enum class Kind {
    kStreamingList,  ///< A watch with sendInitialEvents=true&resourceVersionMatch=NotOlderThan.
    kList,
    kWatch,
  };
  Kind kind = Kind::kList;
  std::string resource_version;  ///< Empty: the parameter is left out.
  std::uint32_t limit = 0;       ///< 0: left out.
  std::string continue_token;
  std::chrono::seconds timeout{0};  ///< timeoutSeconds of a watch.
  bool begin_collection = false;    ///< Discard what was collected so far.
  bool compares = false;            ///< A list of metadata, to be compared with the content.
  /// The server's versions went back: equal versions may be of different states.
  bool is_other_history = false;
  WireFormat format = WireFormat::kJson;
};

/// The query of a request, form-encoded, selectors included; without `watch=true`.
[[nodiscard]] std::string query_of(const ReflectorRequest& request, std::string_view label_selector,
                                   std::string_view field_selector);

/// The end of a request.
struct StreamEnd {
  enum class Cause {
    kEnded,        ///< The server ended its response properly.
    kBroken,       ///< The connection broke or there was none.
    kRefused,      ///< The server returned an error.
    kErrorEvent,   ///< The watch delivered an ERROR event.
    kUndecodable,  ///< The content is not what was requested.
    kStalled,      ///< Cut by us: nothing came any more.
    kRelist,       ///< Cut by us: everything is to be listed again.
    kVerify,       ///< Cut by us: how far the server is, is to be asked.
    kBehind,       ///< Cut by us after Use::kBehind.
    kStopped,
  };
  Cause cause = Cause::kEnded;
  Status status;  ///< Why; ok for kEnded.
  // At the proper end of a list.
  std::string resource_version;
  std::string continue_token;
  /// The list has named exactly the objects that the content has, in the same versions.
  bool is_same = false;
};

/// The kinds of errors that a reflector distinguishes.
enum class Failure { kExpired, kTooLarge, kThrottled, kOther };
[[nodiscard]] Failure classify(const Status& status);

/// The outcome of a request: for the store and for the log.
struct ReflectorReport {
  enum class Note {
    kNone,
    kPopulated,         ///< A list is complete: the collected objects are the content at `version`.
    kSame,              ///< A list has shown that the content is the server's at `version`.
    kListFailed,        ///< Tried again after a back-off.
    kWatchFailed,       ///< The watch could not be started; a new list follows after a back-off.
    kWatchEnded,        ///< The watch ended with an error; a new list follows after a back-off.
    kWatchTooShort,     ///< Like kWatchEnded: it ended at once, without an event.
    kWatchStalled,      ///< Cut; the next watch continues where it was.
    kWatchSilent,       ///< The same, but the silence was only longer than usual.
    kExpired,           ///< The version is too old for the server; a new list follows.
    kUnreachable,       ///< No connection; the same request is sent again after a back-off.
    kRetried,           ///< The same request is sent again, at once or after a back-off.
    kStreamingRefused,  ///< A plain list follows.
    kUnproven,          ///< The watch did not show how far it is; a consistent list follows.
    kBehind,    ///< A response at `version` is behind what was seen; a consistent list follows.
    kWentBack,  ///< A consistent read at `version` is behind what was seen; a list follows.
  };
  Note note = Note::kNone;
  std::string version;          ///< kPopulated, kSame, kBehind, kWentBack.
  std::string known_version{};  ///< kBehind, kWentBack: what was seen before.
  Status status;                ///< For the log.
};

/// The state machine of one reflector.
///
///   kStart ──▶ kStreamingList ──fallback──▶ kListing
///     ▲              │ end of initial events    │ last page
///     │              └────────▶ kWatching ◀─────┘
///     │                         ▲      │ kVerify
///     │                         └── kProbing
///     └── after back-off: list failed, watch failed, 410 ──┘
///
/// A back-off may precede each request; `wait_until` is therefore independent of the phase.
///     for (;;) { next() → wait, or send the request, on_event() for each event, finish() }
///
/// Evidence. The content counts as verified as of the time at which a consistent list was sent. It
/// also counts as verified as of the time of a probe (a consistent list of one object) once an
/// event or bookmark at or beyond the version of its response has arrived. The proper end of a
/// watch proves nothing, because its server's cache may have stalled. A watch that shows no such
/// event within `verifying_watch`, whether it ends or stalls, is followed by a consistent list.
///
/// A bookmark takes up to 2.3 s. The probe of a content of at most `compared_max` objects therefore
/// lists the metadata of all: if they are those of the content, in the same versions, the content
/// is the server's at the version of the response, and the watch continues from there. The changes
/// that led there are not repeated, not even of objects that came and went in between.
///
/// Versions that go back: a server whose etcd was restored from a backup sends no event to a watch
/// at a version that it has not reached yet. A probe, list or bookmark below the known version
/// therefore has everything listed again. Only a consistent read proves it: a watch may get the
/// older progress of a lagging member (etcd issue 20221), so the known version is kept until a
/// consistent list is below it too. A silent end of a watch from a server that sends bookmarks is
/// followed by a probe.
/// Pure: time and randomness come in. Not thread-safe.
class ReflectorState {
 public:
  enum class Phase {
    kStart,          ///< Nothing listed yet, or to be listed again.
    kStreamingList,  ///< Collecting the initial events of a watch.
    kListing,        ///< Collecting the pages of a list.
    kWatching,       ///< Following changes.
    kProbing,        ///< Asking for the server's present version; kWatching follows.
  };

  /// `known_version`, if not empty: the first list is no older.
  ReflectorState(const ReflectorOptions& options, Random& random, std::string known_version = {})
      : options_(options),
        random_(random),
        backoff_({.initial = options.backoff_base,
                  .factor = 2.0,
                  .jitter = 1.0,
                  .longest = options.backoff_max}),
        last_version_(std::move(known_version)) {}

  /// A watch is renewed when nothing came for `longest`; a quiet one is made so short that the
  /// server ends it before.
  void limit_silence(Duration longest) { silence_cap_ = longest; }
  /// Another request of this host has succeeded: a wait for a server that could not be reached is
  /// over.
  void on_server_response(Time now);

  struct Next {
    std::optional<Time> wait_until;  ///< Set: wait, then ask again.
    ReflectorRequest request;        ///< Else: send this.
  };
  /// `held`: the number of objects of the content; nothing if they cannot be compared.
  [[nodiscard]] Next next(Time now, std::optional<std::size_t> held = std::nullopt);

  /// One event of a watch other than ERROR, already found to be of the right kind.
  struct Event {
    WatchType type = WatchType::kAdded;
    std::string_view resource_version;
    bool ends_initial = false;  ///< A bookmark annotated k8s.io/initial-events-end.
  };
  enum class Use {
    kCollect,   ///< Put into, or take out of, what is being collected.
    kApply,     ///< Apply to the store.
    kBookmark,  ///< Move the store's version.
    kBehind,    ///< End the watch: it is behind what was seen.
    kPopulate,  ///< The collected objects are the content at the event's version; the watch goes
                ///< on.
    kNothing,
  };
  Use on_event(const Event& event, Time now);
  /// The server has accepted the request that runs.
  void on_open(Time now);
  /// Records that something other than a usable event arrived, such as a piece of a list.
  void on_sign_of_life(Time now);

  /// The request ended.
  ReflectorReport finish(const StreamEnd& end, Time now);

  [[nodiscard]] Phase phase() const { return phase_; }
  /// When the request that runs now is to be cut with kStalled.
  [[nodiscard]] Time stalled_at() const { return stalled_at_; }
  /// The version up to which changes are known; empty at first.
  [[nodiscard]] const std::string& last_version() const { return last_version_; }
  /// Since when no outage has interrupted the view of the server; nothing before the first content.
  [[nodiscard]] std::optional<Time> followed_since() const { return followed_since_; }
  /// The latest time as of which everything that the server had is known to have come, by a
  /// consistent read that was sent then.
  [[nodiscard]] std::optional<Time> verified() const { return verified_; }
  /// The last request could not reach the server, and the next one waits.
  [[nodiscard]] bool lost_server() const { return lost_ && wait_until_.has_value(); }
  /// Whether the server has accepted the request that runs, or ran last.
  [[nodiscard]] bool opened() const { return opened_at_.has_value(); }

 private:
  struct ListRun {
    std::string first_version;  // The version that the first page requested.
    std::uint32_t limit = 0;
    std::string continue_token;  // For the next page.
    std::string version;         // The version of the first page.
    std::uint32_t pages = 0;
    bool paginated = false;
    bool unavailable_retried = false;
  };

  /// The longest silence allowed for the running watch; nothing: no limit.
  [[nodiscard]] std::optional<Duration> silence_limit() const;
  [[nodiscard]] bool is_quiet() const;
  void note_contact(Time now);
  void note_change(Time now);
  void note_end(const StreamEnd& end, Time now);
  void note_verified();
  /// Whether `version` is below the known one, as no version of a server that keeps its data is.
  [[nodiscard]] bool is_behind(std::string_view version) const;
  /// A response that ends was at `version`, below the known one.
  ReflectorReport fall_behind(std::string_view version);
  void reach_goal();
  [[nodiscard]] ReflectorRequest probe_request(std::optional<std::size_t> held);
  ReflectorReport finish_probe(const StreamEnd& end);
  void begin_list();
  [[nodiscard]] ReflectorRequest list_request() const;
  ReflectorRequest watch_request(Time now);
  ReflectorReport finish_streaming(const StreamEnd& end, Time now);
  ReflectorReport finish_list(const StreamEnd& end);
  ReflectorReport finish_page(const StreamEnd& end);
  ReflectorReport finish_watch(const StreamEnd& end, Time now);
  void probe_silent_server();
  ReflectorReport list_for_goal();
  ReflectorReport list_again(ReflectorReport::Note note, const Status& status);
  ReflectorReport unreachable(const Status& status);
  [[nodiscard]] bool ended_at_once(Time now) const;
  [[nodiscard]] bool is_overdue(Time now) const;
  void back_off();
  Duration next_delay(Time now);

  const ReflectorOptions options_;
  Random& random_;

  Phase phase_ = Phase::kStart;
  bool backoff_wanted_ = false;     // The next request comes after a delay.
  std::optional<Time> wait_until_;  // That delay, once it is known.
  Backoff backoff_;
  std::optional<Time> backoff_since_;  // The last reset of the sequence.

  std::string last_version_;
  bool unavailable_ = false;  // The server said that last_version_ is gone or unknown.
  bool paged_zero_ = false;   // Lists at version 0 came in pages: the server has no watch cache.
  ListRun list_;

  // The stream that runs now.
  Time started_{};
  Time stream_limit_ = Time::max();  // Its timeout and slack.
  Time stalled_at_ = Time::max();
  std::uint64_t events_ = 0;
  bool from_any_version_ = false;  // Began at "" or "0", and only ADDED came so far.
  bool bookmarks_ = false;         // The server sends bookmarks on it.
  bool sends_bookmarks_ = false;   // The server has sent some, on any stream.
  std::optional<Time> opened_at_;
  std::string behind_;             // The version of a bookmark that was below the known one.
  bool is_other_history_ = false;  // The versions went back, and no content has come since.

  SilenceGauge silence_;
  std::optional<Duration> silence_cap_;
  bool lost_ = false;  // The server could not be reached, and has not responded since.
  Time early_retry_at_ = Time::min();

  // Outages.
  std::optional<Time> followed_since_;
  std::optional<Time> broken_since_;   // Requests fail since then.
  std::optional<Time> suspect_since_;  // A watch was cut that may have been stalled since then.
  Time received_at_{};                 // The last event or bookmark.

  // Verification.
  std::optional<Time> verified_;
  // The content being collected is at least as new. Set: the read is consistent.
  std::optional<Time> content_as_of_;
  struct Goal {
    std::uint64_t version = 0;
    Time as_of;
  };
  std::optional<Goal> goal_;     // Verified as of then, once everything up to the version has come.
  bool is_goal_wanted_ = false;  // The probe that comes or runs sets one.
  bool is_comparison_wanted_ = false;  // It compares, if the content allows.
  bool compares_ = false;              // The one that runs does.
};

}  // namespace davit::host
