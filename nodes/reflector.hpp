/// Lists and watches one collection of the API.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "host/api/expected_kind.hpp"
#include "host/cache/reflector_state.hpp"
#include "host/object/list_splitter.hpp"
#include "host/object/watch_splitter.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"

namespace davit::sandbox {

/// "namespace/name"; "/name" for what has no namespace.
[[nodiscard]] std::string key_of(const Json& object);
/// metadata.resourceVersion as a number, by which one object's versions are ordered; 0 when it is
/// none.
[[nodiscard]] std::uint64_t version_of(const Json& object);

/// A shell around the host's ReflectorState for an owner with one thread for everything: it carries
/// out the requests that the state plans, and never blocks. Belongs to one thread.
class Reflector {
 public:
  struct Handlers {
    /// An object is there, is new, or has changed. May repeat what is known already.
    std::function<void(Json object)> changed;
    /// The object of this key is gone.
    std::function<void(const std::string& key)> removed;
  };

  struct Seams {
    ApiCalls& api;
    Clock& clock;
    Random& random;
    Logger log;
  };

  /// `path`: "/api/v1/pods".
  Reflector(Seams seams, std::string path, Handlers handlers);

  /// Processes what has arrived and does the due work. Returns when it must be called next if
  /// nothing arrives.
  Time step();
  /// Whether the handlers have seen a whole list at least once.
  [[nodiscard]] bool synced() const { return synced_; }

 private:
  /// A request in progress.
  struct Response {
    explicit Response(host::ReflectorRequest::Kind kind)
        : lists(kind == host::ReflectorRequest::Kind::kList) {}

    std::unique_ptr<ApiStream> stream;
    bool lists;
    bool error_event = false;
    std::string refusal;
    host::ListSplitter list;
    host::WatchSplitter watch;
  };

  enum class Place { kItem, kEvent, kBookmark };

  void open(const host::ReflectorRequest& request);
  /// Reads what has arrived; nothing while the response continues.
  [[nodiscard]] std::optional<host::StreamEnd> read();
  [[nodiscard]] Status feed(std::string_view body);
  /// The end of a response that has been received completely.
  [[nodiscard]] host::StreamEnd end_of(const TransportEnd& end);
  [[nodiscard]] Status take_event(host::WatchType type, std::string_view json);
  /// An error unless the object is one of the collection, as far as that place shows it.
  [[nodiscard]] Status check(const Json& object, Place place) const;
  [[nodiscard]] Status not_expected() const;
  void end_list();
  void announce(Json object);

  Seams seams_;
  const std::string path_;
  const Handlers handlers_;
  const host::ExpectedKind expected_;

  host::ReflectorState state_;
  bool synced_ = false;
  std::unordered_set<std::string> known_;
  std::unordered_set<std::string> listed_;  // While listing: what is still there.
  std::optional<Response> response_;
};

}  // namespace davit::sandbox
