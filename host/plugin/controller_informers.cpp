#include "host/plugin/controller_informers.hpp"

#include <algorithm>
#include <utility>

#include "host/object/abi.hpp"
#include "host/object/field_path.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/plugin/rights.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// Each renewal of a silent watch is a request, and a watch has whole seconds.
constexpr Duration kSilenceShortest = std::chrono::seconds(1);

/// The prefix of an index's path that names it in the shared store: two controllers may give one
/// name to different paths. No path and no common index begins with it.
constexpr char kSharedPrefix = '.';

/// The indexes that every informer has; the empty name stands for all objects.
bool is_common_index(std::string_view name) {
  return name.empty() || name == DAVIT_INDEX_NAMESPACE || name == DAVIT_INDEX_CONTROLLER ||
         name == DAVIT_INDEX_LABEL;
}

std::string namespaces_text(const std::vector<std::string>& namespaces) {
  std::string out = "namespace " + namespaces.front();
  if (namespaces.size() > 1) out += " and " + std::to_string(namespaces.size() - 1) + " more";
  return out;
}

}  // namespace

CacheNeed OpenedInformer::need() const {
  CacheNeed need{{resource, label_selector, field_selector, projection, ns, form}};
  for (const Index& each : indexes) need.indexes.push_back({each.shared_name, each.path});
  return need;
}

Result<std::vector<ObjectRef>> OpenedInformer::select(std::string_view name,
                                                      std::string_view key) const {
  if (is_common_index(name)) return informer->store().select(name, key);
  for (const Index& index : indexes) {
    if (index.name == name) return informer->store().select(index.shared_name, key);
  }
  return Status(Code::kNotFound, "no index '" + std::string(name) + "'");
}

std::optional<DeclaredWatch> ControllerInformers::find_watch(
    const davit_informer_options& options) const {
  for (const DeclaredWatch& watch : declared_.watches) {
    if (watch.group == view(options.group) && watch.version == view(options.version) &&
        watch.resource == view(options.resource) &&
        watch.label_selector == view(options.label_selector) &&
        watch.field_selector == view(options.field_selector) && covers(watch.namespaces, "")) {
      return watch;
    }
  }
  if (!declared_.is_unlimited) return std::nullopt;
  DeclaredWatch any;
  any.group = view(options.group);
  any.version = view(options.version);
  any.resource = view(options.resource);
  any.label_selector = view(options.label_selector);
  any.field_selector = view(options.field_selector);
  return any;
}

std::string ControllerInformers::undeclared_watch_text(
    const davit_informer_options& options) const {
  JsonText wanted('{');
  wanted.text("group", view(options.group))
      .text("version", view(options.version))
      .text("resource", view(options.resource));
  const std::string_view fields = view(options.field_selector);
  const std::string_view labels = view(options.label_selector);
  if (!fields.empty()) wanted.text("fieldSelector", fields);
  if (!labels.empty()) wanted.text("labelSelector", labels);
  const std::string refused =
      "the note declares no watch of " + std::string(view(options.resource)) +
      " with this group, version and selectors: \"watches\" of " + declared_.name;
  std::string present;
  std::string narrower;
  for (const DeclaredWatch& each : declared_.watches) {
    if (each.group != view(options.group) || each.resource != view(options.resource)) continue;
    const std::string entry = " one with version " + json_string(each.version) +
                              ", fieldSelector " + json_string(each.field_selector) +
                              " and labelSelector " + json_string(each.label_selector);
    present += "; it has" + entry;
    const char* const between = narrower.empty() ? "" : "; and";
    if (!each.namespaces.empty()) {
      narrower += between + entry + ", but only of " + namespaces_text(each.namespaces) +
                  ": open a dynamic informer of a namespace for it";
    } else if (fields.empty() && labels.empty() &&
               (!each.field_selector.empty() || !each.label_selector.empty())) {
      narrower += between + entry + ": open the informer with these selectors";
    }
  }
  // The entry that the informer asks for would let the controller read more than its note does now.
  if (!narrower.empty()) return refused + " have" + narrower;
  return refused + " needs an entry " + wanted.str() + present;
}

std::string ControllerInformers::undeclared_read_text() const {
  const std::optional<UndeclaredRead>& read = undeclared_read();
  if (!read) return "";
  auto [root, path] = services_.space.location_of(read->at);
  if (!read->member().empty()) add_member(path, read->member());
  const std::string field = json_string(path);
  for (const std::unique_ptr<OpenedInformer>& each : all_) {
    if (each->mask != root) continue;
    const std::string resource = each->resource.resource;
    if (path.empty()) {
      return "the whole object of " + resource + " was read: read its fields, or remove " +
             "\"projection\" out of that watch in the note";
    }
    return "the note of " + declared_.name + " lets it read no " + field + " of " + resource +
           ": add it to \"projection\" of that watch";
  }
  return "no projection contains " + field;
}

davit_code ControllerInformers::open(CallFrame& frame, const davit_informer_options& options,
                                     davit_handle& out) {
  const std::optional<DeclaredWatch> watch = find_watch(options);
  if (!watch) {
    return refuse(frame, {Code::kUndeclared, undeclared_watch_text(options)});
  }
  all_.reserve(all_.size() + 1);  // A later failure would leave a handle without an entry.
  auto opened = std::make_unique<OpenedInformer>();
  opened->resource = ResourceId{watch->group, watch->version, watch->resource};
  opened->label_selector = watch->label_selector;
  opened->field_selector = watch->field_selector;
  if (!watch->projection.empty()) {
    opened->projection = watch->projection;
    Result<Mask> mask = services_.space.add_projection(watch->projection);
    if (!mask) return refuse(frame, mask.error());
    opened->mask = *mask;
  }
  opened->self = options.self;
  opened->on_event = options.on_event;
  opened->handle = handles_.insert(opened.get());
  out = opened->handle;
  all_.push_back(std::move(opened));
  return DAVIT_OK;
}

davit_code ControllerInformers::add_index(CallFrame& frame, davit_handle handle,
                                          std::string_view name, std::string_view path) {
  OpenedInformer* opened = handles_.find(handle).value_or(nullptr);
  if (opened == nullptr) return DAVIT_STALE;
  if (is_common_index(name)) {
    return refuse(
        frame, {Code::kAlreadyExists, "this name is reserved: every informer has such an index"});
  }
  for (const OpenedInformer::Index& index : opened->indexes) {
    if (index.name == name) return index.path == path ? DAVIT_OK : DAVIT_ALREADY_EXISTS;
  }
  if (Result<FieldPath> parsed = FieldPath::parse(services_.space, path); !parsed) {
    return refuse(frame, {Code::kInvalid, parsed.error().message()});
  }
  opened->indexes.push_back(
      {std::string(name), std::string(path), kSharedPrefix + std::string(path)});
  return DAVIT_OK;
}

davit_code ControllerInformers::limit_silence(CallFrame& frame, davit_handle handle,
                                              Duration longest) {
  OpenedInformer* opened = handles_.find(handle).value_or(nullptr);
  if (opened == nullptr) return DAVIT_STALE;
  if (longest < kSilenceShortest) {
    return refuse(frame, {Code::kInvalid, "the silence limit of a watch must be at least 1 s"});
  }
  opened->silence_max = std::min(opened->silence_max, longest);
  return DAVIT_OK;
}

std::vector<CacheNeed> ControllerInformers::needs() const {
  std::vector<CacheNeed> needs;
  for (const std::unique_ptr<OpenedInformer>& opened : all_) needs.push_back(opened->need());
  return needs;
}

Status ControllerInformers::commit(
    Reach reach, DeltaQueue& deltas,
    const std::function<void(const OpenedInformer&, const Change&)>& on_change) {
  std::string missing;
  for (const std::unique_ptr<OpenedInformer>& opened : all_) {
    if (reach == Reach::kAny || services_.informers.serves(opened->need())) continue;
    missing += (missing.empty() ? "" : ", ") + opened->resource.text();
  }
  if (!missing.empty()) {
    return Status(Code::kUnsupported, "no running informer keeps what it reads of " + missing);
  }
  for (const std::unique_ptr<OpenedInformer>& opened : all_) {
    Result<Informer*> informer = services_.informers.informer(opened->need());
    if (!informer) return informer.error().with_context(opened->resource.text());
    opened->informer = *informer;
    for (const OpenedInformer::Index& index : opened->indexes) {
      if (Status s = opened->informer->add_index(index.shared_name, index.path); !s.ok()) {
        return s.with_context("index " + index.name + " of " + opened->resource.text());
      }
    }
    DeltaQueue::Handler handler;
    if (opened->on_event != nullptr) {
      handler = [on_change, self = opened.get()](const Change& change) {
        on_change(*self, change);
      };
    }
    if (opened->silence_max != Duration::max()) {
      opened->informer->limit_silence(opened->silence_max);
    }
    deltas.join(*opened->informer, std::move(handler));
  }
  return {};
}

void ControllerInformers::verify(Time since) const {
  for (const std::unique_ptr<OpenedInformer>& opened : all_) opened->informer->verify(since);
}

std::vector<std::pair<ResourceId, Status>> ControllerInformers::unavailable() const {
  std::vector<std::pair<ResourceId, Status>> out;
  for (const auto& each : all_) {
    if (each->informer == nullptr || each->informer->has_synced()) continue;
    if (Status why = each->informer->availability(); !why.ok()) {
      out.emplace_back(each->resource, std::move(why));
    }
  }
  return out;
}

const OpenedInformer* ControllerInformers::find(davit_handle handle) const {
  return handles_.find(handle).value_or(nullptr);
}

std::vector<const OpenedInformer*> ControllerInformers::of(std::string_view group,
                                                           std::string_view resource) const {
  std::vector<const OpenedInformer*> found;
  for (const std::unique_ptr<OpenedInformer>& opened : all_) {
    if (opened->resource.group == group && opened->resource.resource == resource) {
      found.push_back(opened.get());
    }
  }
  return found;
}

davit_code ControllerInformers::refuse(CallFrame& frame, const Status& why) const {
  if (why.code() == Code::kUndeclared) controller_.observe_refusal(why.message());
  return frame.refuse(why);
}

}  // namespace davit::host
