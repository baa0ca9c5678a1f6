/// Requests of a round, and a count of the objects of a server that are in a certain state.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "host/api/rest_client.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/follow.hpp"

namespace davit::bench {

/// A request for the object `name` of a collection. To create one, pass an empty name: the body
/// has it.
[[nodiscard]] inline host::ApiRequest to(host::Verb verb, const host::ResourcePath& path,
                                         const std::string& name, std::string body = "") {
  host::ApiRequest out;
  out.verb = verb;
  out.path = path;
  out.path.name = name;
  out.body = std::move(body);
  return out;
}

/// The objects of a collection that are in a certain state, by a watch. Lists of thousands would
/// cost the server more than the work that is measured.
class Tally {
 public:
  using Matches = std::function<bool(host::Value object)>;

  Tally(const live::ControlPlane& cluster, host::ResourcePath path, Matches matches)
      : thread_([this, &cluster, path = std::move(path),
                 matches = std::move(matches)](const std::stop_token& end) {
          live::follow(cluster.client(), path, end,
                       [&](host::WatchType type, std::string_view json) -> Result<std::string> {
                         const Result<host::ObjectRef> object = host::parse_object(space_, json);
                         if (!object) return object.error();
                         const host::Value root = object->root();
                         const bool counts = type != host::WatchType::kDeleted && matches(root);
                         if (type != host::WatchType::kBookmark) take(root, counts);
                         return std::string(root["metadata"]["resourceVersion"].string());
                       });
        }) {}

  [[nodiscard]] int count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(nodes_.size());
  }
  /// Pods that count, with their nodes.
  [[nodiscard]] std::map<std::string, std::string> nodes() const {
    const std::lock_guard lock(mutex_);
    return nodes_;
  }

 private:
  void take(host::Value object, bool counts) {
    const std::string name(object["metadata"]["name"].string());
    const std::lock_guard lock(mutex_);
    nodes_.erase(name);
    if (counts) nodes_.emplace(name, object["spec"]["nodeName"].string());
  }

  host::ObjectSpace space_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> nodes_;
  std::jthread thread_;  // The last member: it uses the others.
};

}  // namespace davit::bench
