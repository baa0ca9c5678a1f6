/// DynamicInformer: the cache of a resource that a controller learns of at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/informer.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/queue.hpp>
#include <initializer_list>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// The part of each object that the server sends.
enum class ObjectForm : std::int32_t {
  kObject = DAVIT_FORM_OBJECT,
  kMetadata = DAVIT_FORM_METADATA,  ///< Metadata alone: a fraction of the bytes and of the memory.
};

/// An index over one or several paths; see Context::add_index() for their form. An object is in it
/// if each path leads to a string. One path may lead to several ([]).
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
  /// The key is added to the queue whenever DynamicInformer::synced() may say something else, and
  /// once after the informer was opened.
  struct Wake {
    Queue queue;
    Key key;
  };
  std::optional<Wake> wake = std::nullopt;
};

/// A handle: cheap to copy; valid until close() or the end of the controller. Reads are for
/// handlers, syncs and timers.
class DynamicInformer {
 public:
  /// Opened by Context::open_dynamic_informer.
  DynamicInformer(const Api& api, davit_handle handle) : api_(&api), handle_(handle) {}

  /// Success: the content is there and was delivered. kUnavailable: not yet. kNotFound: the server
  /// does not serve the resource (any more). kForbidden: it refuses. In both cases reads give the
  /// last known content, and the host tries again.
  [[nodiscard]] Status synced() const {
    const davit_code code = api_->dynamic_informer->synced(api_->call(), handle_);
    return code == DAVIT_OK ? Status() : Status(from_c(code), "the informer is not synced");
  }

  [[nodiscard]] std::optional<ObjectView> get(std::string_view ns, std::string_view name) const {
    davit_value out{};
    const davit_code code =
        api_->dynamic_informer->get(api_->call(), handle_, to_c(ns), to_c(name), &out);
    if (code != DAVIT_OK) return std::nullopt;
    return ObjectView(Value(api_, out));
  }
  [[nodiscard]] std::optional<ObjectView> get(const Key& key) const {
    return get(key.ns, key.name);
  }

  [[nodiscard]] List<ObjectView> list() const { return select({}, {}).value_or({}); }
  [[nodiscard]] List<ObjectView> in_namespace(std::string_view ns) const {
    return select(DAVIT_INDEX_NAMESPACE, {ns}).value_or({});
  }
  /// The objects that have these values, one for each path of the index. kNotFound: there is no
  /// such index. kInvalid: another number of values.
  [[nodiscard]] Result<List<ObjectView>> select(
      std::string_view index, std::initializer_list<std::string_view> values) const {
    std::vector<davit_str> raw;
    for (const std::string_view each : values) raw.push_back(to_c(each));
    davit_list out{};
    const davit_code code = api_->dynamic_informer->select(api_->call(), handle_, to_c(index),
                                                           raw.data(), raw.size(), &out);
    if (code == DAVIT_OK) return List<ObjectView>(api_, out);
    return Status(from_c(code), "cannot select by index " + std::string(index));
  }

  /// Ends it. Its handlers are not called again, but one that runs now is not waited for.
  void close() const { static_cast<void>(api_->dynamic_informer->close(api_->call(), handle_)); }

  [[nodiscard]] davit_handle handle() const { return handle_; }

 private:
  const Api* api_;
  davit_handle handle_;
};

namespace detail {

/// Keeps the handlers of informers as long as the host may call them. Thread-safe.
class DynamicAnchors {
 public:
  explicit DynamicAnchors(const Api& api) : api_(api) {}

  Result<DynamicInformer> open(const DynamicInformerOptions& options,
                               Handlers<ObjectView> handlers) {
    if (api_.dynamic_informer == nullptr) {
      return Status(Code::kUnsupported, "the host lacks the capability davit.informer/2");
    }
    const std::string wake_key = options.wake ? options.wake->key.text() : std::string();
    const RawIndexes indexes(options.indexes);
    const std::vector<davit_str> projection = texts(options.projection);
    davit_informer_options_v2 raw{};
    raw.size = sizeof(raw);
    raw.form = static_cast<std::int32_t>(options.form);
    raw.group = to_c(options.group);
    raw.version = to_c(options.version);
    raw.resource = to_c(options.resource);
    raw.ns = to_c(options.ns);
    raw.label_selector = to_c(options.label_selector);
    raw.field_selector = to_c(options.field_selector);
    raw.projection = projection.data();
    raw.projection_count = projection.size();
    raw.indexes = indexes.raw.data();
    raw.index_size = sizeof(davit_index);
    raw.index_count = indexes.raw.size();
    if (options.wake) raw.wake_queue = options.wake->queue.handle();
    raw.wake_key = to_c(wake_key);
    Anchor& anchor = add(std::string(options.resource), std::move(handlers));
    raw.self = &anchor;
    if (anchor.has_handlers()) raw.on_event = &Anchor::on_event;
    raw.on_closed = &Anchor::on_closed;
    davit_handle handle = 0;
    const davit_code code = api_.dynamic_informer->open(api_.call(), &raw, &handle);
    if (code == DAVIT_OK) return DynamicInformer(api_, handle);
    remove(anchor);
    return Status(from_c(code), "the host refused to watch " + std::string(options.resource));
  }

 private:
  class Anchor {
   public:
    Anchor(DynamicAnchors& owner, std::string resource, Handlers<ObjectView> handlers)
        : owner_(owner), resource_(std::move(resource)), handlers_(std::move(handlers)) {}

    [[nodiscard]] bool has_handlers() const {
      return handlers_.any || handlers_.added || handlers_.updated || handlers_.deleted;
    }
    static void on_event(void* self, const davit_call* call, const davit_event* raw) noexcept {
      const auto& anchor = *static_cast<const Anchor*>(self);
      guarded_logged(anchor.owner_.api_, call, anchor.resource_,
                     [&] { deliver(anchor.owner_.api_, anchor.handlers_, *raw); });
    }
    static void on_closed(void* self, const davit_call* call) noexcept {
      const CallScope scope(call);  // Values that the handlers hold may be released.
      auto& anchor = *static_cast<Anchor*>(self);
      anchor.owner_.remove(anchor);
    }

   private:
    DynamicAnchors& owner_;
    const std::string resource_;
    const Handlers<ObjectView> handlers_;
  };

  /// Indexes in the form of abi.h, with what they point to.
  struct RawIndexes {
    explicit RawIndexes(const std::vector<DynamicIndex>& from) {
      for (const DynamicIndex& each : from) paths.push_back(texts(each.paths));
      for (std::size_t i = 0; i < from.size(); ++i) {
        raw.push_back({sizeof(davit_index), static_cast<std::uint32_t>(paths[i].size()),
                       to_c(from[i].name), paths[i].data()});
      }
    }
    std::vector<std::vector<davit_str>> paths;
    std::vector<davit_index> raw;
  };

  static std::vector<davit_str> texts(const std::vector<std::string_view>& from) {
    std::vector<davit_str> to;
    for (const std::string_view each : from) to.push_back(to_c(each));
    return to;
  }
  Anchor& add(std::string resource, Handlers<ObjectView> handlers) {
    const std::lock_guard lock(mutex_);
    return anchors_.emplace_back(*this, std::move(resource), std::move(handlers));
  }
  void remove(const Anchor& anchor) {
    const std::lock_guard lock(mutex_);
    anchors_.remove_if([&anchor](const Anchor& each) { return &each == &anchor; });
  }

  const Api& api_;
  std::mutex mutex_;
  std::list<Anchor> anchors_;  // Node based: the host holds pointers to them.
};

}  // namespace detail
}  // namespace davit
