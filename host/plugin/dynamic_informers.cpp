#include "host/plugin/dynamic_informers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <davit/mutant.hpp>
#include <utility>

#include "host/api/expected_kind.hpp"
#include "host/cache/store_index.hpp"
#include "host/object/field_path.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/rights.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/required_name.hpp"

namespace davit::host {
namespace {

/// The prefix of an index's paths that names it in the shared store.
constexpr char kSharedPrefix = '.';

/// The indexes that every informer has.
bool is_common_index(std::string_view name) {
  return name == DAVIT_INDEX_NAMESPACE || name == DAVIT_INDEX_CONTROLLER ||
         name == DAVIT_INDEX_LABEL;
}

Metrics::Kinds kinds_of(const DynamicInformer& informer) {
  return is_built_in_group(informer.opened.resource.group) ? Metrics::Kinds::kBuiltIn
                                                           : Metrics::Kinds::kCustom;
}

/// Whether a text can stand in a URL as a name of the API.
bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

Status check_names(const davit_informer_options_v2& options) {
  const auto malformed = [](const char* what, std::string_view text) {
    return Status(Code::kInvalid, json_string(text) + " is not a " + what + " of an API resource");
  };
  const std::string_view group = view(options.group);
  const std::string_view ns = view(options.ns);
  if (!group.empty() && !is_name(group)) return malformed("group", group);
  if (!is_name(view(options.version))) return malformed("version", view(options.version));
  if (!is_name(view(options.resource))) return malformed("name", view(options.resource));
  if (!ns.empty() && !is_name(ns)) return malformed("namespace", ns);
  if (options.form == DAVIT_FORM_OBJECT || options.form == DAVIT_FORM_METADATA) return {};
  return Status(Code::kInvalid, "unknown form " + std::to_string(options.form));
}

/// An index as the plugin describes it, checked.
Result<OpenedInformer::Index> read_index(ObjectSpace& space, const davit_index& from) {
  const std::string name(view(from.name));
  const auto invalid = [&name](const std::string& why) {
    return Status(Code::kInvalid, "index " + json_string(name) + ": " + why);
  };
  if (name.empty() || is_common_index(name))
    return invalid("this name is reserved: every informer has such an index");
  if (from.paths == nullptr || from.path_count == 0 ||
      from.path_count > DynamicInformers::kIndexPathsMax) {
    return invalid("it needs 1 to " + std::to_string(DynamicInformers::kIndexPathsMax) + " paths");
  }
  OpenedInformer::Index index;
  index.name = name;
  std::size_t lists = 0;
  for (std::uint32_t i = 0; i < from.path_count; ++i) {
    const std::string path(view(from.paths[i]));
    if (path.find(kIndexPathSeparator) != std::string::npos) {
      return invalid("a path with a comma cannot be indexed");
    }
    const Result<FieldPath> parsed = FieldPath::parse(space, path);
    if (!parsed) return invalid(parsed.error().message());
    if (path.find("[]") != std::string::npos) ++lists;
    if (i > 0) index.path += kIndexPathSeparator;
    index.path += path;
  }
  if (lists > 1) return invalid("only one of its paths may lead to several values");
  index.shared_name = kSharedPrefix + index.path;
  return index;
}

}  // namespace

Status DynamicInformer::filled() const {
  if (opened.informer == nullptr) return Status(Code::kUnavailable, "it is not started yet");
  if (Status s = opened.informer->availability(); !s.ok()) return Status(s.code(), s.message());
  if (is_filled.load(std::memory_order_acquire)) return {};
  return Status(Code::kUnavailable,
                "the content of " + opened.resource.text() + " has not arrived yet");
}

Result<std::vector<ObjectRef>> DynamicInformer::select(
    std::string_view index, const std::vector<std::string_view>& values) const {
  const Store& store = opened.informer->store();
  if (index.empty()) return store.list();
  const auto wrong_count = [&] {
    return Status(Code::kInvalid, "index " + json_string(index) + " has another number of paths");
  };
  if (is_common_index(index)) {
    return values.size() == 1 ? store.select(index, values.front()) : wrong_count();
  }
  for (const OpenedInformer::Index& each : opened.indexes) {
    if (each.name != index) continue;
    if (index_parts(each.path).size() != values.size()) return wrong_count();
    return store.select(each.shared_name, index_key(values));
  }
  return Status(Code::kNotFound, "no index " + json_string(index));
}

std::vector<davit_handle> DynamicInformers::open_handles() const {
  std::vector<davit_handle> out;
  for (const auto& [each, kinds] : open_) out.push_back(each);
  return out;
}

DynamicInformers::~DynamicInformers() {
  MutexLock lock(mutex_);
  for (const auto& [each, kinds] : open_) {
    if (deltas_ != nullptr) deltas_->leave(each);
    count(kinds, Metrics::InformerStep::kClosed);
  }
}

Status DynamicInformers::check_rights(const davit_informer_options_v2& options) const {
  if (declared_.is_unlimited) return {};
  RequestAttributes asked{.verb = "list",
                          .group = view(options.group),
                          .resource = view(options.resource),
                          .subresource = {},
                          .ns = view(options.ns),
                          .name = required_name(view(options.field_selector))};
  for (const DeclaredWatch& each : declared_.watches) {
    const bool is_free = each.label_selector.empty() && each.field_selector.empty();
    const bool is_same = each.label_selector == view(options.label_selector) &&
                         each.field_selector == view(options.field_selector);
    if ((is_free || is_same) && allows(each, asked)) return {};
  }
  const auto is_allowed = [&](std::string_view verb) {
    asked.verb = verb;
    return std::any_of(declared_.rules.begin(), declared_.rules.end(),
                       [&](const DeclaredRule& rule) { return allows(rule, asked); });
  };
  if (is_allowed("list") && is_allowed("watch")) return {};
  return Status(Code::kUndeclared, "the note does not allow " + declared_.name + " to follow " +
                                       std::string(asked.resource) + ": its \"rules\" need " +
                                       missing_rule(declared_, asked, {"list", "watch"}));
}

Result<std::shared_ptr<DynamicInformer>> DynamicInformers::describe(
    const davit_informer_options_v2& options) const {
  if (Status s = check_names(options); !s.ok()) return s;
  if (Status s = check_rights(options); !s.ok()) return s;
  auto made = std::make_shared<DynamicInformer>();
  OpenedInformer& opened = made->opened;
  opened.resource = {std::string(view(options.group)), std::string(view(options.version)),
                     std::string(view(options.resource))};
  opened.label_selector = view(options.label_selector);
  opened.field_selector = view(options.field_selector);
  opened.ns = view(options.ns);
  opened.form = options.form == DAVIT_FORM_METADATA ? ObjectForm::kMetadata : ObjectForm::kWhole;
  opened.self = options.self;
  opened.on_event = options.on_event;
  made->on_closed = options.on_closed;
  made->wake_key = view(options.wake_key);
  if (options.projection_count > 0) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < options.projection_count; ++i) {
      paths.emplace_back(view(options.projection[i]));
    }
    const Result<Mask> mask = services_.space.add_projection(paths);
    if (!mask) return mask.error();
    opened.mask = *mask;
    opened.projection = std::move(paths);
  }
  for (std::size_t i = 0; i < options.index_count; ++i) {
    davit_index raw{};
    std::memcpy(&raw, reinterpret_cast<const char*>(options.indexes) + i * options.index_size,
                std::min(options.index_size, sizeof(raw)));
    Result<OpenedInformer::Index> index = read_index(services_.space, raw);
    if (!index) return index.error();
    opened.indexes.push_back(*std::move(index));
  }
  return made;
}

Result<davit_handle> DynamicInformers::open(const davit_informer_options_v2& options,
                                            ControllerQueue* wake_queue) {
  Result<std::shared_ptr<DynamicInformer>> planned = describe(options);
  if (!planned) return planned.error();
  (*planned)->wake_queue = wake_queue;
  const Result<davit_handle> handle = add(*planned);
  if (!handle) return refuse(**planned, handle.error());
  bool is_committed = false;
  {
    MutexLock lock(mutex_);
    is_committed = deltas_ != nullptr;
  }
  if (is_committed) {
    if (Status s = attach(*handle, **planned); !s.ok()) {
      (void)close(*handle);
      return refuse(**planned, s);
    }
  }
  MutexLock lock(mutex_);
  refusal_is_logged_ = false;
  return handle;
}

Result<davit_handle> DynamicInformers::add(const Entry& planned) {
  const Kinds kinds = kinds_of(*planned);
  MutexLock lock(mutex_);
  const std::size_t open = kinds == Kinds::kCustom ? custom_ : open_.size() - custom_;
  const bool is_shared = mutant("places-of-built-in-kinds");
  if ((is_shared ? open_.size() : open) >= kOpenMax) {
    return Status(Code::kUnsupported, declared_.name + " has " + std::to_string(kOpenMax) +
                                          " informers of such kinds open, which is the limit: "
                                          "close those that it no longer needs");
  }
  const davit_handle handle = handles_.insert(planned);
  open_.emplace(handle, kinds);
  if (kinds == Kinds::kCustom) ++custom_;
  count(kinds, Metrics::InformerStep::kOpened);
  return handle;
}

Status DynamicInformers::refuse(const DynamicInformer& planned, Status why) {
  count(kinds_of(planned), Metrics::InformerStep::kRefused);
  {
    MutexLock lock(mutex_);
    if (std::exchange(refusal_is_logged_, true)) return why;
  }
  services_.log.error(
      "an informer was refused; the controller does not see these objects, nor "
      "those of further refusals that the metric counts",
      {{"controller", declared_.name},
       {"resource", planned.opened.resource.text()},
       {"error", why.message()}});
  return why;
}

void DynamicInformers::count(Kinds kinds, Metrics::InformerStep step) const {
  services_.metrics.controller_informer(declared_.name, kinds, step);
}

Status DynamicInformers::attach(davit_handle handle, const DynamicInformer& planned) {
  DeltaQueue* deltas = nullptr;
  {
    MutexLock lock(mutex_);
    deltas = deltas_;
  }
  Result<InformerUse> use = services_.informers.acquire(planned.opened.need());
  if (!use) return use.error();
  auto made = std::make_shared<DynamicInformer>();
  made->opened = planned.opened;
  made->opened.handle = handle;
  made->opened.informer = &use->informer();
  made->on_closed = planned.on_closed;
  made->wake_queue = planned.wake_queue;
  made->wake_key = planned.wake_key;
  made->use.emplace(*std::move(use));
  const Entry entry = std::move(made);
  if (!handles_.replace(handle, entry))
    return Status(Code::kStale, "it was closed during the call");
  follow(*deltas, handle, entry);
  // After it has joined: it hears of the verification, and begin() has seen it, or is seen here.
  const Time since = since_.load();
  if (since != Time::min()) entry->opened.informer->verify(since);
  entry->wake();
  return {};
}

void DynamicInformers::follow(DeltaQueue& deltas, davit_handle handle, const Entry& entry) {
  DeltaQueue::Guest guest;
  if (entry->opened.on_event != nullptr) {
    guest.handler = [this, entry](const Change& change) { calls_.on_change(*entry, change); };
  }
  guest.on_filled = [entry] {
    entry->is_filled.store(true, std::memory_order_release);
    entry->wake();
  };
  guest.on_availability = [entry] { entry->wake(); };
  guest.on_verified = [this, entry](Time as_of) { note_verified(*entry, as_of); };
  guest.on_left = [this, entry] { calls_.on_closed(*entry); };
  deltas.join_guest(*entry->opened.informer, handle, std::move(guest));
}

void DynamicInformers::note_verified(const DynamicInformer& informer, Time as_of) const {
  // Released, so that who sees it finds what the handler did.
  const Time before = informer.verified.load(std::memory_order_relaxed);
  informer.verified.store(std::max(before, as_of), std::memory_order_release);
  const Time since = since_.load();
  if (before < since && since <= as_of) informer.wake();
}

Status DynamicInformers::synced(const DynamicInformer& informer) const {
  if (Status s = informer.filled(); !s.ok()) return s;
  const bool is_current = informer.verified.load(std::memory_order_acquire) >= since_.load();
  if (is_current || mutant("guest-verify")) return {};
  const std::string& resource = informer.opened.resource.resource;
  const Freshness fresh = informer.opened.informer->freshness();
  if (fresh.failing_since && fresh.failure.detail() != nullptr) {
    return Status(Code::kUnavailable,
                  "the server does not show " + resource + ": " + fresh.failure.message());
  }
  return Status(Code::kExpired, "the content of " + resource +
                                    " may be older than the beginning of the controller; it is "
                                    "being compared with the server");
}

bool DynamicInformers::close(davit_handle handle) {
  if (!handles_.erase(handle)) return false;
  DeltaQueue* deltas = nullptr;
  {
    MutexLock lock(mutex_);
    const auto open = open_.extract(handle);
    if (!open.empty()) {
      if (open.mapped() == Kinds::kCustom) --custom_;
      count(open.mapped(), Metrics::InformerStep::kClosed);
    }
    deltas = deltas_;
  }
  if (deltas != nullptr) deltas->leave(handle);
  return true;
}

Status DynamicInformers::commit(DeltaQueue& deltas, Calls calls) {
  std::vector<davit_handle> noted;
  {
    MutexLock lock(mutex_);
    calls_ = std::move(calls);
    deltas_ = &deltas;
    noted = open_handles();
  }
  for (const davit_handle each : noted) {
    const Entry planned = find(each);
    if (planned == nullptr) continue;
    if (Status s = attach(each, *planned); !s.ok()) {
      return s.with_context(planned->opened.resource.text());
    }
  }
  return {};
}

void DynamicInformers::begin(Time since) {
  since_.store(since);
  std::vector<davit_handle> open;
  {
    MutexLock lock(mutex_);
    open = open_handles();
  }
  for (const davit_handle each : open) {
    const Entry entry = find(each);
    if (entry != nullptr && entry->opened.informer != nullptr) {
      entry->opened.informer->verify(since);
    }
  }
}

}  // namespace davit::host
