/// The API server of a test cluster.
#pragma once

#include <davit/key.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/random.hpp"
#include "lib/base/silent_log_sink.hpp"
#include "lib/kube/json.hpp"
#include "lib/net/http_message.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/server/api_server.hpp"
#include "sandbox/store/store.hpp"

namespace davit::testing {

using Tree = davit::Json;  // The SDK has a testing::Json.

/// `davit sandbox` without socket and thread. Requests have every right. Objects can also be put
/// into the store itself. Single-threaded.
class ClusterServer final : public HttpHandler {
 public:
  /// Both must outlive this. `random` gives names and UIDs.
  ClusterServer(Clock& clock, Random& random);

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override;

  /// Null when it is not served. "replicasets.apps", or "replicasets", "replicaset" or "ReplicaSet"
  /// for the first one of that name.
  [[nodiscard]] sandbox::ResourcePtr find(std::string_view resource) const;
  /// Null when this version of it is not served.
  [[nodiscard]] sandbox::ResourcePtr find(const std::string& group, const std::string& version,
                                          const std::string& resource) const {
    return server_->resources()->find(group, version, resource);
  }

  /// An object as JSON text; nothing when there is none. `resource` as for find().
  [[nodiscard]] std::optional<std::string> text(std::string_view resource, const Key& key) const;
  /// The objects of a resource, by key.
  [[nodiscard]] std::vector<std::string> texts(std::string_view resource) const;

  /// See Cluster::add(). kInvalid: the object or its kind is refused.
  Status put(Tree object);
  /// See Cluster::erase().
  Result<bool> erase(std::string_view resource, const Key& key);

  void hide(std::string_view resource) { hidden_.emplace(resource); }
  void drop_status_field(std::string_view resource, std::string_view field) {
    dropped_.emplace(resource, field);
  }
  void keep_status_field(std::string_view resource, std::string_view field) {
    dropped_.erase({std::string(resource), std::string(field)});
  }

  [[nodiscard]] sandbox::Revision revision() const { return store_->revision(); }
  /// The revisions of all changes of a resource, in their order.
  [[nodiscard]] const std::vector<sandbox::Revision>& changes(
      const sandbox::Resource& resource) const {
    return changes_.of(resource.collection);
  }
  void forget_history() { store_->compact(); }
  /// As an administrator who restores a backup of etcd: content and version are those of `to`, and
  /// what came before is forgotten.
  void restore(sandbox::Revision to);
  /// `listener` is called after each change, and must not write.
  using Listener = std::function<void(const sandbox::Collection&, const sandbox::Change&)>;
  void on_change(Listener listener) { changes_.listen(std::move(listener)); }

 private:
  /// When each collection changed.
  class ChangeLog final : public sandbox::Journal {
   public:
    using Entry = std::pair<sandbox::Collection, sandbox::Change>;
    [[nodiscard]] Status append(const sandbox::Collection& collection,
                                const sandbox::Change& change) override {
      revisions_[collection].push_back(change.object->revision);
      all_.emplace_back(collection, change);
      if (listener_) listener_(collection, change);
      return {};
    }
    void after_write() override {}
    void listen(Listener listener) { listener_ = std::move(listener); }
    /// Forgets what came after a revision. Returns what is left, in order.
    const std::vector<Entry>& go_back(sandbox::Revision to);
    [[nodiscard]] const std::vector<sandbox::Revision>& of(
        const sandbox::Collection& collection) const {
      const auto found = revisions_.find(collection);
      return found == revisions_.end() ? none_ : found->second;
    }

   private:
    std::map<sandbox::Collection, std::vector<sandbox::Revision>> revisions_;
    std::vector<Entry> all_;
    Listener listener_;
    const std::vector<sandbox::Revision> none_ = {};
  };

  /// Serves what the store has.
  void open();
  [[nodiscard]] Result<sandbox::ResourcePtr> resource_of(const Tree& object);
  Status define(const std::string& definition);
  Status ensure_namespace(const std::string& name);
  void complete(const sandbox::Resource& resource, Tree& object) const;
  [[nodiscard]] std::string without_dropped(const HttpServerRequest& request,
                                            const sandbox::Url& url) const;

  Clock& clock_;
  Random& random_;
  SilentLogSink log_;  // Failures come with responses.
  ChangeLog changes_;
  std::unique_ptr<sandbox::Store> store_ =
      std::make_unique<sandbox::Store>(clock_, sandbox::StoreLimits(), &changes_);
  std::unique_ptr<sandbox::ApiServer> server_;
  std::set<std::string, std::less<>> hidden_;
  std::set<std::pair<std::string, std::string>> dropped_;  // Resources with fields of their status.
};

/// Throws std::runtime_error: a mistake of the test.
[[noreturn]] void fail(std::string_view why);

}  // namespace davit::testing
