/// DynamicInformer: the cache of a resource that a controller selects at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/informer.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/queue.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// The part of each object that the server sends.
enum class ObjectForm : std::int32_t {
  kObject = DAVIT_FORM_OBJECT,
  kMetadata = DAVIT_FORM_METADATA,  ///< Metadata only: a fraction of the bytes and of the memory.
};

/// An index over one or more paths; see Context::add_index() for their syntax. It contains an
/// object if each path leads to a string. One path may lead to several ([]).
struct DynamicIndex {
  std::string_view name;
  std::vector<std::string_view> paths;  ///< {"metadata.namespace", …}: a namespaced index.
};

/// The texts are borrowed for the call.
struct DynamicInformerOptions {
  std::string_view group;
  std::string_view version;
  std::string_view resource;             ///< Plural: "widgets".
  std::string_view ns = {};              ///< One namespace; empty: all.
  std::string_view label_selector = {};  ///< Evaluated by the server.
  std::string_view field_selector = {};  ///< Evaluated by the server.
  ObjectForm form = ObjectForm::kObject;
  std::vector<std::string_view> projection = {};  ///< The field paths that are read; none: all.
  std::vector<DynamicIndex> indexes = {};
  /// The key is added to the queue whenever the result of DynamicInformer::synced() may have
  /// changed, and once after the informer is opened.
  struct Wake {
    Queue queue;
    Key key;
  };
  std::optional<Wake> wake = std::nullopt;
};

/// A handle: cheap to copy; valid until close() or the end of the controller. Read it in handlers,
/// syncs and timers.
class DynamicInformer {
 public:
  /// Use Context::open_dynamic_informer instead.
  DynamicInformer(const Api& api, davit_handle handle) : api_(&api), handle_(handle) {}

  /// Success: the content is complete and was delivered. kUnavailable: not yet. kNotFound: the
  /// server does not serve the resource, or no longer does; kForbidden: the server refuses it. In
  /// these two cases reads return the last known content, and the host retries. kExpired: the
  /// content may be older than the time since which the controller acts; reads fail until the host
  /// has compared it with the server.
  [[nodiscard]] Status synced() const;

  /// kStale after close().
  Lookup<ObjectView> get(std::string_view ns, std::string_view name) const;
  Lookup<ObjectView> get(const Key& key) const { return get(key.ns, key.name); }

  List<ObjectView> list() const { return select({}, {}); }
  List<ObjectView> in_namespace(std::string_view ns) const {
    return select(DAVIT_INDEX_NAMESPACE, {ns});
  }
  /// The objects that have these values, one for each path of the index. kMisuse: there is no such
  /// index. kInvalid: the wrong number of values.
  List<ObjectView> select(std::string_view index,
                          std::initializer_list<std::string_view> values) const;

  /// Closes the informer. Its handlers are not called again, but it does not wait for a running
  /// one.
  void close() const { static_cast<void>(api_->dynamic_informer->close(api_->call(), handle_)); }

  [[nodiscard]] davit_handle handle() const { return handle_; }

 private:
  const Api* api_;
  davit_handle handle_;
};

namespace detail {

/// Keeps the handlers of informers alive as long as the host may call them. Thread-safe.
class DynamicAnchors {
 public:
  explicit DynamicAnchors(const Api& api);
  ~DynamicAnchors();

  Result<DynamicInformer> open(const DynamicInformerOptions& options,
                               Handlers<ObjectView> handlers);

 private:
  class List;
  std::unique_ptr<List> list_;
};

}  // namespace detail
}  // namespace davit
