// metrics.k8s.io
#include <davit/kube/signed_duration.hpp>
#include <davit/kube/time.hpp>

#include "sandbox/metrics/metric_response.hpp"
#include "sandbox/metrics/metrics_api.hpp"
#include "sandbox/rest/field_selector.hpp"
#include "sandbox/rest/options.hpp"

namespace davit::sandbox {

namespace {

/// Pods or nodes.
struct UsageKind {
  std::string_view resource;
  std::string_view kind;
  bool namespaced;
};
constexpr UsageKind kUsageKinds[] = {{"pods", "PodMetrics", true}, {"nodes", "NodeMetrics", false}};

const UsageKind* usage_kind(std::string_view resource) {
  const auto* found = std::ranges::find(kUsageKinds, resource, &UsageKind::resource);
  return found == std::end(kUsageKinds) ? nullptr : found;
}

Json usage_json(const Usage& usage) {
  return Json::object({{"cpu", decimal_text(usage.cpu)}, {"memory", binary_text(usage.memory)}});
}

Json labels_json(const Version& object) {
  Json out = Json::object();
  for (const auto& [key, value] : object.labels) out.set(key, value);
  return out;
}

/// A PodMetrics or NodeMetrics.
Json metrics_json(const UsageKind& kind, const Version& object, const UsageSample& sample,
                  WallTime now) {
  Json metadata = Json::object({{"name", object.name}});
  if (kind.namespaced) metadata.set("namespace", object.ns);
  metadata.set("creationTimestamp", format_time(now));
  if (!object.labels.empty()) metadata.set("labels", labels_json(object));
  Json out = Json::object({{"kind", kind.kind},
                           {"apiVersion", "metrics.k8s.io/v1beta1"},
                           {"metadata", std::move(metadata)},
                           {"timestamp", format_time(now - sample.age)},
                           {"window", format_duration(sample.window)}});
  if (!kind.namespaced) {
    out.set("usage", usage_json(sample.containers.front().second));
    return out;
  }
  Json& containers = out["containers"];
  for (const auto& [name, usage] : sample.containers) {
    containers.push_back(Json::object({{"name", name}, {"usage", usage_json(usage)}}));
  }
  return out;
}

Json column(std::string_view name, std::string_view format) {
  return Json::object({{"name", name},
                       {"type", "string"},
                       {"format", format},
                       {"description", ""},
                       {"priority", 0}});
}

Json row_of(const Json& object, const OutputForm& form) {
  Nanos cpu = 0;
  Nanos memory = 0;
  const auto add = [&](const Json& usage) {
    cpu += parse_nanos(usage.get("cpu").text()).value_or(0);
    memory += parse_nanos(usage.get("memory").text()).value_or(0);
  };
  if (object.contains("usage")) add(object.get("usage"));
  for (const Json& each : object.get("containers").items()) add(each.get("usage"));
  Json row =
      Json::object({{"cells", Json::array({object.text_at({"metadata", "name"}), decimal_text(cpu),
                                           binary_text(memory), object.get("window")})}});
  if (form.include == IncludeObject::kWhole) row["object"] = object;
  if (form.include == IncludeObject::kMetadata) row["object"] = to_partial_metadata(object, form);
  if (form.include == IncludeObject::kNone) row["object"] = Json();
  return row;
}

Json table_of(const Json::Items& objects, const OutputForm& form) {
  Json rows = Json::array();
  for (const Json& each : objects) rows.push_back(row_of(each, form));
  return Json::object(
      {{"kind", "Table"},
       {"apiVersion", "meta.k8s.io/" + form.meta_version},
       {"metadata", Json::object()},
       {"columnDefinitions", Json::array({column("name", "name"), column("cpu", ""),
                                          column("memory", ""), column("window", "")})},
       {"rows", std::move(rows)}});
}

Json list_of(const UsageKind& kind, Json::Items objects, const OutputForm& form) {
  const bool metadata = form.form != Form::kWhole;
  for (Json& each : objects) {
    if (metadata) {
      each = to_partial_metadata(each, form);
      continue;
    }
    each.erase("kind");
    each.erase("apiVersion");
  }
  return Json::object(
      {{"kind", metadata ? "PartialObjectMetadataList" : std::string(kind.kind) + "List"},
       {"apiVersion", metadata ? "meta.k8s.io/" + form.meta_version : "metrics.k8s.io/v1beta1"},
       {"metadata", Json::object()},
       {"items", Json(std::move(objects))}});
}

/// The model of the moment with the snapshots that it reads.
class Measurement {
 public:
  Measurement(const MetricParts& parts, const std::string& ns)
      : pods_(parts.rest.store.list({"", "pods"}, ns).objects),
        nodes_(parts.rest.store.list({"", "nodes"}, "").objects),
        rules_(parts.board.rules()),
        loads_(placed_loads(parts)),
        facts_{pods_,
               nodes_,
               *rules_,
               loads_,
               parts.board.options(),
               parts.rest.clock.now(),
               parts.rest.clock.wall_now()},
        model_(facts_) {}
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  [[nodiscard]] const std::vector<VersionPtr>& objects(const UsageKind& kind) const {
    return kind.namespaced ? pods_ : nodes_;
  }
  /// Null for an object without metrics.
  [[nodiscard]] Json of(const UsageKind& kind, const VersionPtr& object) {
    const std::optional<UsageSample> sample =
        kind.namespaced ? model_.of_pod(object) : model_.of_node(object);
    return sample ? metrics_json(kind, *object, *sample, facts_.wall_now) : Json();
  }

 private:
  const std::vector<VersionPtr> pods_;
  const std::vector<VersionPtr> nodes_;
  const std::shared_ptr<const MetricRules> rules_;
  const std::vector<PlacedLoad> loads_;
  const UsageFacts facts_;
  UsageModel model_;
};

ApiResult<HttpServerResponse> get_usage(const MetricParts& parts, const Call& call,
                                        const UsageKind& kind) {
  const ApiResult<OutputForm> form = metric_form(call, ResponseShape::kObject, kind.kind);
  if (!form) return form.error();
  const std::string ns = kind.namespaced ? call.url.ns : "";
  const std::string& name = call.url.name;
  Measurement measurement(parts, ns);
  const std::vector<VersionPtr>& objects = measurement.objects(kind);
  const auto found =
      std::ranges::find_if(objects, [&](const VersionPtr& each) { return each->name == name; });
  if (found == objects.end()) return not_found({"", std::string(kind.resource), name});
  Json object = measurement.of(kind, *found);
  if (object.is_null()) {
    return not_found({std::string(kResourceMetrics), kind.namespaced ? "podmetrics" : "nodemetrics",
                      kind.namespaced ? ns + '/' + name : name});
  }
  if (form->form == Form::kTable) return metric_response(table_of({object}, *form), *form);
  if (form->form != Form::kWhole) object = to_partial_metadata(object, *form);
  return metric_response(object, *form);
}

ApiResult<HttpServerResponse> list_usage(const MetricParts& parts, const Call& call,
                                         const UsageKind& kind) {
  const ApiResult<OutputForm> form =
      metric_form(call, ResponseShape::kList, std::string(kind.kind) + "List");
  if (!form) return form.error();
  const ApiResult<ListOptions> options = parse_list_options(call.url.query, ListKind::kList);
  if (!options) return options.error();
  const ApiResult<LabelSelector> labels = metric_selector(call, "labelSelector");
  if (!labels) return labels.error();
  Resource selectable;
  selectable.namespaced = kind.namespaced;
  const Result<FieldSelector> fields = FieldSelector::parse(options->field_selector, selectable);
  if (!fields) return bad_request(fields.error().message());
  Measurement measurement(parts, kind.namespaced ? call.url.ns : "");
  Json::Items out;
  for (const VersionPtr& each : measurement.objects(kind)) {
    if (!labels->matches(each->labels) || !fields->matches(*each)) continue;
    Json object = measurement.of(kind, each);
    if (!object.is_null()) out.push_back(std::move(object));
  }
  return metric_response(
      form->form == Form::kTable ? table_of(out, *form) : list_of(kind, std::move(out), *form),
      *form);
}

}  // namespace

ApiResult<HttpServerResponse> serve_usage(const MetricParts& parts, const Call& call) {
  const Url& url = call.url;
  const UsageKind* kind = usage_kind(url.resource);
  if (kind == nullptr || !url.subresource.empty()) return unknown_resource();
  if (!kind->namespaced && !url.ns.empty()) return unknown_resource();
  if (kind->namespaced && url.ns.empty() && !url.name.empty()) return unknown_resource();
  return url.name.empty() ? list_usage(parts, call, *kind) : get_usage(parts, call, *kind);
}

}  // namespace davit::sandbox
