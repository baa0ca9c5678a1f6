/// Keeps a store equal to a collection of the API server: list, then watch, again and again.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/api/driven_stream.hpp"
#include "host/api/expected_kind.hpp"
#include "host/cache/cache_metrics.hpp"
#include "host/cache/comparison.hpp"
#include "host/cache/freshness.hpp"
#include "host/cache/reflector_log.hpp"
#include "host/cache/reflector_state.hpp"
#include "host/cache/resource_id.hpp"
#include "host/cache/server_contact.hpp"
#include "host/cache/store.hpp"
#include "host/object/either_splitter.hpp"
#include "host/object/object_decoder.hpp"
#include "host/object/parse.hpp"
#include "host/object/watch_splitter.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// The part of each object that the server sends.
enum class ObjectForm {
  kWhole,
  kMetadata,  ///< PartialObjectMetadata.
};

/// The resource to list and watch.
struct Selection {
  ResourceId resource;
  std::string label_selector;
  std::string field_selector;
  std::string ns{};  ///< Empty: all namespaces, or cluster-scoped.
  ObjectForm form = ObjectForm::kWhole;
};

/// The API server as a reflector needs it; a seam, so that tests script it.
class ListWatch {
 public:
  ListWatch() = default;
  ListWatch(const ListWatch&) = delete;
  ListWatch& operator=(const ListWatch&) = delete;
  virtual ~ListWatch() = default;

  using ChunkSink = std::function<Status(std::string_view chunk)>;
  /// Sends `request` and passes the body of a successful response to `sink` as it arrives, on the
  /// calling thread; blocks until the body ends. An empty piece comes first, when the server has
  /// accepted the request. The result is RestClient::stream()'s: success means that the server
  /// ended it properly, kUnavailable without ApiDetail that there was no connection or it broke,
  /// kCancelled that `stop` was requested; an error of `sink` is returned as it is.
  virtual Status stream(const Selection& what, const ReflectorRequest& request,
                        std::stop_token stop, const ChunkSink& sink) = 0;
  /// The server's resources as known, by which responses about custom resources are judged; null:
  /// unknown, or not needed. Blocks if the catalog is in doubt.
  [[nodiscard]] virtual std::shared_ptr<const ApiCatalog> catalog(
      [[maybe_unused]] const ResourceId& resource, [[maybe_unused]] std::stop_token stop) {
    return nullptr;
  }

  // For a thread that follows many resources and must not wait for one; see FollowThreads.

  /// stream() as a request that the loop of `place` drives. This, and what `sink` uses, outlive it.
  [[nodiscard]] virtual std::unique_ptr<DrivenStream> open(
      [[maybe_unused]] const Selection& what, [[maybe_unused]] const ReflectorRequest& request,
      [[maybe_unused]] std::stop_token stop, [[maybe_unused]] LoopPlace place,
      [[maybe_unused]] ChunkSink sink) {
    return nullptr;
  }
  /// Whether known_catalog() may be used: the catalog is not in doubt, or not needed.
  [[nodiscard]] virtual bool is_ready([[maybe_unused]] const ResourceId& resource) { return true; }
  /// Fetches for all resources what DrivenStream::must_prepare() and is_ready() show to be missing;
  /// blocks. A failure is that of a request which could not be sent.
  [[nodiscard]] virtual Status prepare([[maybe_unused]] const std::stop_token& stop) { return {}; }
  /// As catalog(), without a fetch.
  [[nodiscard]] virtual std::shared_ptr<const ApiCatalog> known_catalog(
      [[maybe_unused]] const ResourceId& resource) {
    return nullptr;
  }

  /// A response contradicts the catalog, which may be out of date.
  virtual void doubt_catalog() {}
};

/// The receiver of the objects. Called on the reflector's thread.
class ReflectorTarget {
 public:
  ReflectorTarget() = default;
  ReflectorTarget(const ReflectorTarget&) = delete;
  ReflectorTarget& operator=(const ReflectorTarget&) = delete;
  virtual ~ReflectorTarget() = default;

  /// An empty next content.
  virtual Replacement begin_replace() = 0;
  virtual void replace(Replacement next, std::string_view resource_version) = 0;
  /// kAdded, kModified or kDeleted.
  virtual void apply(WatchType type, ObjectRef object) = 0;
  /// Like apply(), for a state that cannot be read.
  virtual void skip(WatchType type, SkippedObject object) = 0;
  virtual void bookmark(std::string_view resource_version) = 0;
  /// A comparison of a list with the content; empty if that is not this reflector's alone.
  virtual Comparison begin_comparison() { return {}; }
  /// All that was received so far has been passed on; the reflector waits for more.
  virtual void pause() {}
  /// A content is complete, or was verified: Reflector::freshness() says as of when.
  virtual void verified() {}
  /// A consistent read was at `version`, below the known one, as after a restore from a backup. A
  /// new content follows: the server's state then.
  virtual void went_back([[maybe_unused]] std::string_view known,
                         [[maybe_unused]] std::string_view version) {}
  /// Nothing could be listed or watched; it is tried again.
  virtual void failed([[maybe_unused]] const Status& status) {}
};

/// Everything around a reflector; each reference outlives it.
struct ReflectorSeams {
  ListWatch& api;
  ObjectSpace& space;
  Clock& clock;
  Random& random;
  InformerMetrics& metrics;
  ReflectorTarget& target;
  ServerContact* contact = nullptr;  ///< Null: responses to other requests are not reported.
};

/// The thin shell around ReflectorState: sends the requests that the state plans, splits and parses
/// the responses, and applies them. Bodies are parsed as they arrive; at most one object of them is
/// held. An object that cannot be read, because of its size, depth, encoding or types, is skipped,
/// and the list or watch continues: one user's object must not hide all others. Built-in kinds are
/// asked for in protobuf; once it cannot be read in full, everything is listed again, and read from
/// then on, in JSON: a member that our tables lack must not vanish from a cache. Threads: run(),
/// step(), and proceed() with prepared() are three ways to drive it, each by one thread; interrupt
/// functions may be called from any.
class Reflector final : private ServerContact::Waiter {
 public:
  /// `known_version`, if not empty: the first list is no older than that.
  Reflector(Selection what, ParseOptions parse, const ReflectorSeams& seams, Logger log,
            const ReflectorOptions& options, std::string known_version = {});
  ~Reflector() override;

  /// Runs until `stop`.
  void run(const std::stop_token& stop) EXCLUDES(mutex_);

  /// Carries out one request from begin to end. Returns nothing, or the time until which the next
  /// step has to wait.
  std::optional<Time> step(const std::stop_token& stop) EXCLUDES(mutex_);

  /// To be called before anything else: proceed() drives it, on the loop's thread, which destroys
  /// what it has begun. Once `stop` is requested, one more proceed() does that. `place` is posted
  /// when proceed() is due early.
  void join(LoopPlace place);
  struct Progress {
    Time due = Time::max();     ///< proceed() has to be called then at the latest.
    bool must_prepare = false;  ///< ListWatch::prepare() is needed; prepared() takes its result.
  };
  /// Goes as far as possible without waiting.
  Progress proceed(const std::stop_token& stop) EXCLUDES(mutex_);
  /// After Progress::must_prepare, once; followed by proceed().
  void prepared(const Status& status) EXCLUDES(mutex_);

  /// Ends the stream that runs now, so that everything is listed again. Any thread.
  void request_relist() EXCLUDES(mutex_);
  /// Ends the watch that runs now, so that the server is asked how far it is; Freshness::verified
  /// moves when the content has come so far. Any thread.
  void request_verification() EXCLUDES(mutex_);
  /// See ReflectorState; the shortest of several counts. Any thread.
  void limit_silence(Duration longest) EXCLUDES(mutex_);
  /// Ends a watch through which nothing comes any more. Returns when to look again. Any thread.
  Time check_stalled(Time now) EXCLUDES(mutex_);
  /// The freshness of the content. Any thread.
  [[nodiscard]] Freshness freshness() const EXCLUDES(mutex_);

 private:
  enum class Place { kItem, kEvent };
  enum class Interrupt { kNone, kVerify, kRelist, kStalled };

  void server_responded() override EXCLUDES(mutex_);
  void interrupt(Interrupt why) EXCLUDES(mutex_);

  /// Begins the next request, or returns until when to wait for that.
  std::optional<Time> begin(const std::stop_token& stop) EXCLUDES(mutex_);
  void make_splitter();
  /// Makes the stream of the request that has begun, driven by the loop.
  void open() EXCLUDES(mutex_);
  [[nodiscard]] Progress unprepared();
  /// Takes a piece of the body of the request that runs.
  Status take(std::string_view chunk) EXCLUDES(mutex_);
  Status feed_list(std::string_view chunk);
  Status feed_watch(std::string_view chunk);
  /// The request that runs has ended so.
  void finish(Status status, const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] StreamEnd end_of(Status status, const std::stop_token& stop) EXCLUDES(mutex_);
  void end_list(StreamEnd& end);
  Status on_item(std::string_view bytes);
  Status on_event(WatchType type, std::string_view bytes);
  Status on_error_event(std::string_view bytes);
  /// Reads an object that is to be cached. On failure `skipped` says what could be read of it.
  Result<ObjectRef> read(std::string_view bytes, SkippedObject& skipped);
  /// Notes that the items of the list that runs have no envelope; see ObjectDecoder.
  Status expect_items(const EitherListSplitter& splitter);
  /// The body that runs is not what was asked for.
  Status undecodable(const Status& why, bool is_protobuf);
  /// Everything is to be asked for again, in JSON.
  Status use_json(const Status& why);
  Status skip_event(WatchType type, SkippedObject object);
  /// Notes the kinds that the response to the request may have.
  void expect_kind(std::shared_ptr<const ApiCatalog> catalog);
  /// Leaves the stream unless the object is of the resource's kind.
  Status check_kind(const ObjectRef& object, Place place);
  /// The same, and unless it has a UID and a version, as every object that a server keeps.
  Status check_object(const ObjectRef& object, Place place);
  /// The same for a list as a whole.
  Status check_list(const EitherListSplitter& splitter);
  /// Leaves the stream, whose content is of another kind.
  Status other_kind(std::string_view what, std::string_view api_version, std::string_view kind);
  /// Notes why the stream is left, and returns `status` for its sink to end it with.
  Status leave(StreamEnd::Cause cause, Status status);
  void carry_out(const ReflectorReport& report, const ReflectorRequest& request);
  void note_freshness(const ReflectorReport& report) EXCLUDES(mutex_);
  void confirm(Time now) REQUIRES(mutex_);
  /// Publishes the state, and reports a verification.
  void publish() EXCLUDES(mutex_);

  /// The selection that a request is about.
  [[nodiscard]] const Selection& selection(const ReflectorRequest& request) const {
    return request.compares ? identities_ : what_;
  }

  const Selection what_;
  const Selection identities_;  // The same objects, their metadata alone.
  const WireFormat identities_format_;
  const ParseOptions parse_options_;
  const ReflectorSeams seams_;
  ReflectorLog log_;
  ReflectorState state_;
  ObjectDecoder decoder_;
  WireFormat format_;  // The form that requests ask for.
  const Mask bookmark_mask_;
  std::optional<Replacement>
      next_;  // The content that a list, or the first part of a streaming list, collects.
  std::optional<ExpectedKind> expected_;  // Set while a request runs.
  Comparison comparison_;                 // Empty unless a probe runs.
  // The objects' own; learned from the first one of a collection.
  std::string api_version_, kind_;
  std::optional<StreamEnd::Cause> left_;  // Why we ended the stream ourselves, while one runs.
  struct Run;
  std::unique_ptr<Run> run_;        // Null between two requests.
  bool is_preparing_ = false;       // prepared() is still to come.
  std::optional<LoopPlace> place_;  // Fixed by join().

  mutable Mutex mutex_;
  CondVar wake_;
  Interrupt interrupt_ GUARDED_BY(mutex_) = Interrupt::kNone;
  std::optional<std::stop_source> stream_ GUARDED_BY(mutex_);  // While a request runs.
  Time stalled_at_ GUARDED_BY(mutex_) = Time::max();
  Duration silence_max_ GUARDED_BY(mutex_) = Duration::max();
  /// Another request has succeeded while this waits.
  bool server_responded_ GUARDED_BY(mutex_) = false;
  Freshness freshness_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
