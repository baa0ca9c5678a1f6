#include <davit/dynamic_informer.hpp>
#include <list>
#include <mutex>
#include <string>

namespace davit {

Lookup<ObjectView> DynamicInformer::get(std::string_view ns, std::string_view name) const {
  davit_value out{};
  const davit_code code =
      api_->dynamic_informer->get(api_->call(), handle_, to_c(ns), to_c(name), &out);
  return detail::looked_up<ObjectView>(*api_, code, out);
}

List<ObjectView> DynamicInformer::select(std::string_view index,
                                         std::initializer_list<std::string_view> values) const {
  std::vector<davit_str> raw;
  for (const std::string_view each : values) raw.push_back(to_c(each));
  davit_list out{};
  const davit_code code = api_->dynamic_informer->select(api_->call(), handle_, to_c(index),
                                                         raw.data(), raw.size(), &out);
  return detail::selected<ObjectView>(*api_, code, out, index);
}

Status DynamicInformer::synced() const {
  const davit_code code = api_->dynamic_informer->synced(api_->call(), handle_);
  return code == DAVIT_OK ? Status() : api_->failure_of(code, "the informer is not synced");
}

namespace detail {

/// Keeps the handlers of informers as long as the host may call them. Thread-safe.
class DynamicAnchors::List {
 public:
  explicit List(const Api& api) : api_(api) {}

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
    return api_.failure_of(code, "the host refused to watch " + std::string(options.resource));
  }

 private:
  class Anchor {
   public:
    Anchor(List& owner, std::string resource, Handlers<ObjectView> handlers)
        : owner_(owner), resource_(std::move(resource)), handlers_(std::move(handlers)) {}

    [[nodiscard]] bool has_handlers() const {
      return handlers_.any || handlers_.added || handlers_.updated || handlers_.deleted;
    }
    static void on_event(void* self, const davit_call* call, const davit_event* raw) noexcept {
      const auto& anchor = *static_cast<const Anchor*>(self);
      guarded_handler(anchor.owner_.api_, call, anchor.resource_, raw->value,
                      [&] { deliver(anchor.owner_.api_, anchor.handlers_, *raw); });
    }
    static void on_closed(void* self, const davit_call* call) noexcept {
      auto& anchor = *static_cast<Anchor*>(self);
      // In a call, because values that the handlers hold may be released.
      const Api& api = anchor.owner_.api_;
      guarded_handler(api, call, "on_closed", {}, [&] { anchor.owner_.remove(anchor); });
    }

   private:
    List& owner_;
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

DynamicAnchors::DynamicAnchors(const Api& api) : list_(std::make_unique<List>(api)) {}
DynamicAnchors::~DynamicAnchors() = default;

Result<DynamicInformer> DynamicAnchors::open(const DynamicInformerOptions& options,
                                             Handlers<ObjectView> handlers) {
  return list_->open(options, std::move(handlers));
}

}  // namespace detail
}  // namespace davit
