/// ApiServer: the API server of `davit sandbox`, behind the types of the test cluster.
///
/// What it does with a request is what a real API server does: defaults, validation, admission,
/// patches of all four kinds, owners of fields, preconditions. It has no socket and no thread,
/// takes its time from the test, and draws names and UIDs from one seed, so every run sees the same
/// ones. Link the library davit::testing for it.
#pragma once

#include <davit/client.hpp>
#include <davit/key.hpp>
#include <davit/testing/api_reply.hpp>
#include <davit/testing/document.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::testing {

/// One entry of the watch log.
struct WatchChange {
  std::string resource;  ///< As qualified() writes it.
  std::int32_t type = DAVIT_EVENT_ADDED;
  DocumentPtr object;
  std::int64_t version = 0;
};

/// What an informer asks the server to select, in the text form of each.
struct Selectors {
  std::string_view label = {};
  std::string_view field = {};
};

/// HTTP as it stands on the wire, without a wire.
struct RawRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< Path and query: "/apis/apps/v1/deployments?limit=5".
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};
struct RawReply {
  int http_status = 0;
  std::vector<std::pair<std::string, std::string>> headers{};  ///< Content-Type among them.
  std::string body{};
};

/// A cluster begins with its namespaces (default, kube-system, kube-public, kube-node-lease) and
/// its two priority classes. Single-threaded.
class DAVIT_TESTING_API ApiServer {
 public:
  using Objects = std::map<Key, DocumentPtr>;

  /// `space` and what the functions refer to must outlive the server. `watch` sees every change, in
  /// order, after the call that made it.
  ApiServer(const ObjectSpace& space, std::function<WallTime()> now,
            std::function<void(const WatchChange&)> watch);
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;
  ~ApiServer();

  /// A client's request, with every right.
  [[nodiscard]] ApiReply handle(const Request& request);

  /// For what a Request cannot say: discovery, tables, protobuf, collections to delete. A watch
  /// replies with the events that there are by now.
  [[nodiscard]] RawReply exchange(const RawRequest& request);

  /// Objects of a resource by key; `resource` as qualified() writes it. metadata.managedFields is
  /// left out.
  [[nodiscard]] const Objects& objects(std::string_view resource) const;
  /// The last version that was given out.
  [[nodiscard]] std::int64_t version() const;

  /// "replicasets.apps" of "replicasets": the first resource of that name that is served. What is
  /// not served stays as it is.
  [[nodiscard]] std::string qualified_name(std::string_view resource) const;
  /// Whether clients find the resource in discovery.
  [[nodiscard]] bool serves(const Resource& resource) const;
  /// Whether the server would select an object of `resource` (qualified). A selector that the
  /// server would refuse selects nothing.
  [[nodiscard]] bool selects(std::string_view resource, const Json& object,
                             const Selectors& selectors) const;

  /// Stores an object whole, status and all, as if it had been in etcd before: nothing judges it.
  /// It gets its kind's defaults and what the server sets and it lacks; one that does not even fit
  /// its kind's schema is stored as it is. The generation rises when the spec of a present one
  /// changes.
  ///
  /// A missing namespace is created. A kind that is not served becomes a custom resource whose
  /// objects may have any content.
  DocumentPtr put(Json object);

  /// Takes an object away at once, whatever its finalizers and grace. False: there was none.
  bool erase(std::string_view resource, const Key& key);

  /// From now on this field of a resource's status is dropped from writes, as by a server that does
  /// not know it; objects that have it keep it. `resource` is the plural.
  void drop_status_field(std::string_view resource, std::string_view field);
  void keep_status_field(std::string_view resource, std::string_view field);

  [[nodiscard]] static Key key_of(const Json& object) {
    return {object.text_at({"metadata", "namespace"}), object.text_at({"metadata", "name"})};
  }

 private:
  class Engine;
  const std::unique_ptr<Engine> engine_;
};

/// Applies a JSON merge patch (RFC 7386) as the server does.
DAVIT_TESTING_API void merge_patch(Json& target, const Json& patch);

}  // namespace davit::testing
