// custom.metrics.k8s.io and external.metrics.k8s.io
#include <algorithm>
#include <davit/kube/time.hpp>
#include <map>

#include "lib/base/lower_case.hpp"
#include "sandbox/metrics/metric_response.hpp"
#include "sandbox/metrics/metrics_api.hpp"

namespace davit::sandbox {

namespace {

/// The objects that a request for a custom metric is about.
struct ValueQuery {
  std::string group;
  std::string resource;
  std::string ns;    ///< Empty: cluster-scoped.
  std::string name;  ///< "*": all that `labels` select.
  std::string metric;
  LabelSelector labels;
  ResourcePtr kind;  ///< Null: not served.

  [[nodiscard]] std::string qualified() const {
    return group.empty() ? resource : resource + '.' + group;
  }
};

/// "ingresses.networking.k8s.io" in its two parts.
void split_resource(std::string_view text, ValueQuery& out) {
  const std::size_t dot = text.find('.');
  out.resource = text.substr(0, dot);
  if (dot != std::string_view::npos) out.group = text.substr(dot + 1);
}

ResourcePtr find_resource(const MetricParts& parts, const ValueQuery& query) {
  const std::shared_ptr<const ResourceSet> set = parts.rest.resources.now();
  for (const ResourcePtr& each : set->all()) {
    if (each->group == query.group && each->name == query.resource) return each;
  }
  return nullptr;
}

ApiResult<ValueQuery> value_query(const MetricParts& parts, const Call& call) {
  const Url& url = call.url;
  ValueQuery out;
  const bool of_namespace = url.resource == "metrics" && url.subresource.empty();
  if (url.has_more || url.name.empty()) return unknown_resource();
  if (of_namespace ? url.ns.empty() : url.subresource.empty()) return unknown_resource();
  if (of_namespace) {
    out.resource = "namespaces";
    out.name = url.ns;
    out.metric = url.name;
  } else {
    split_resource(url.resource, out);
    out.name = url.name;
    out.metric = url.subresource;
  }
  out.kind = find_resource(parts, out);
  // Objects without a namespace are asked for below one, too.
  if (of_namespace || out.kind == nullptr || out.kind->namespaced) out.ns = url.ns;
  const ApiResult<LabelSelector> labels = metric_selector(call, "labelSelector");
  if (!labels) return labels.error();
  out.labels = *labels;
  return out;
}

bool is_about(const MetricRule& rule, const ValueQuery& query) {
  return rule.type == MetricRuleType::kCustom && rule.group == query.group &&
         rule.resource == query.resource && rule.metric == query.metric;
}

/// A value as it goes out.
struct MetricValue {
  std::string name;
  Nanos value = 0;
  Duration age{0};
  std::optional<Duration> window;
};

Json value_json(const ValueQuery& query, const MetricValue& value, const Call& call, WallTime now) {
  Json described = Json::object({{"kind", query.kind ? query.kind->kind : query.resource}});
  if (!query.ns.empty() && query.resource != "namespaces") described.set("namespace", query.ns);
  described.set("name", value.name);
  described.set("apiVersion", query.kind ? query.kind->api_version() : "v1");
  Json out = Json::object({{"describedObject", std::move(described)}});
  const bool beta1 = call.url.version == "v1beta1";
  if (beta1) {
    out.set("metricName", query.metric);
  } else {
    out.set("metric", Json::object({{"name", query.metric}, {"selector", Json()}}));
  }
  out.set("timestamp", format_time(now - value.age));
  if (value.window) out.set(beta1 ? "window" : "windowSeconds", whole_seconds(*value.window));
  out.set("value", decimal_text(value.value));
  if (beta1) out.set("selector", Json());
  return out;
}

/// The values of a metric, by the names of objects.
class ValueFinder {
 public:
  ValueFinder(const MetricParts& parts, const ValueQuery& query, const LabelSelector& of_metric)
      : parts_(parts), query_(query), of_metric_(of_metric), now_(parts.rest.clock.now()) {}

  [[nodiscard]] std::map<std::string, MetricValue> find() {
    if (query_.kind != nullptr) read_objects();
    for (const auto& each : *parts_.board.rules()) {
      if (is_about(each->rule, query_)) add_rule(*each);
    }
    if (query_.qualified() == "pods") add_loads();
    return std::move(values_);
  }
  [[nodiscard]] bool is_known() const { return known_; }

 private:
  void read_objects() {
    const Store& store = parts_.rest.store;
    if (query_.name != "*") {
      const VersionPtr object = store.get(query_.kind->collection, query_.ns, query_.name);
      if (object != nullptr) objects_.push_back(object);
      return;
    }
    for (VersionPtr& each : store.list(query_.kind->collection, query_.ns).objects) {
      if (query_.labels.matches(each->labels)) objects_.push_back(std::move(each));
    }
  }
  void add_rule(const ActiveRule& active) {
    known_ = true;
    const MetricRule& rule = active.rule;
    if (!query_.ns.empty() && !rule.is_in(query_.ns)) return;
    if (!of_metric_.matches(rule.labels)) return;
    const MetricValue value{"", rule.value->at(now_ - active.added, 0), rule.age, rule.window};
    const bool named = !rule.name.empty() || query_.resource == "namespaces";
    if (named && query_.name != "*" && (rule.name.empty() || rule.name == query_.name)) {
      return put(query_.name, value);
    }
    for (const VersionPtr& each : objects_) {
      if (named ? each->name == rule.name : rule.selects(each->labels)) put(each->name, value);
    }
  }
  /// Newer rules come later.
  void put(const std::string& name, MetricValue value) {
    value.name = name;
    values_.insert_or_assign(name, std::move(value));
  }
  /// The values that pods were asked to add to a metric of theirs.
  void add_loads() {
    const std::vector<PlacedLoad> loads = placed_loads(parts_);
    if (std::ranges::none_of(loads, [&](const PlacedLoad& each) { return concerns(each); })) return;
    known_ = true;
    const std::vector<VersionPtr> pods = parts_.rest.store.list({"", "pods"}, query_.ns).objects;
    const std::vector<VersionPtr> nodes = parts_.rest.store.list({"", "nodes"}, "").objects;
    const MetricRules none;
    const UsageFacts facts{
        pods, nodes, none, loads, parts_.board.options(), now_, parts_.rest.clock.wall_now()};
    UsageModel model(facts);
    for (const PlacedLoad& each : loads) {
      if (!concerns(each)) continue;
      for (const auto& [pod, part] : model.share_out(model.carriers(each), each.load.value)) {
        add(*pod, part);
      }
    }
  }
  [[nodiscard]] bool concerns(const PlacedLoad& load) const {
    return load.load.metric == query_.metric && load.load.ns == query_.ns;
  }
  void add(const Version& pod, Nanos part) {
    const bool wanted =
        query_.name == "*" ? query_.labels.matches(pod.labels) : pod.name == query_.name;
    if (!wanted) return;
    MetricValue& value = values_[pod.name];
    value.name = pod.name;
    value.value += part;
  }

  const MetricParts& parts_;
  const ValueQuery& query_;
  const LabelSelector& of_metric_;
  const Time now_;
  std::vector<VersionPtr> objects_;
  std::map<std::string, MetricValue> values_;
  bool known_ = false;
};

}  // namespace

ApiResult<HttpServerResponse> serve_custom_metrics(const MetricParts& parts, const Call& call) {
  const ApiResult<ValueQuery> query = value_query(parts, call);
  if (!query) return query.error();
  const ApiResult<LabelSelector> of_metric = metric_selector(call, "metricLabelSelector");
  if (!of_metric) return of_metric.error();
  ValueFinder finder(parts, *query, *of_metric);
  const std::map<std::string, MetricValue> values = finder.find();
  const bool all = query->name == "*";
  if (!finder.is_known() || (values.empty() && !all)) {
    return without_details(reason::kNotFound, "the server could not find the metric " +
                                                  query->metric + " for " + query->qualified() +
                                                  (all ? "" : ' ' + query->name));
  }
  Json items = Json::array();
  for (const auto& [name, value] : values) {
    items.push_back(value_json(*query, value, call, parts.rest.clock.wall_now()));
  }
  return metric_list_response("MetricValueList", call, std::move(items));
}

ApiResult<HttpServerResponse> serve_external_metrics(const MetricParts& parts, const Call& call) {
  const Url& url = call.url;
  if (url.ns.empty() || !url.name.empty()) return unknown_resource();
  const ApiResult<LabelSelector> labels = metric_selector(call, "labelSelector");
  if (!labels) return labels.error();
  const std::string metric = lower_case(url.resource);
  const Time now = parts.rest.clock.now();
  Json items = Json::array();
  for (const auto& each : *parts.board.rules()) {
    const MetricRule& rule = each->rule;
    if (rule.type != MetricRuleType::kExternal || lower_case(rule.metric) != metric) continue;
    if (!rule.is_in(url.ns) || !labels->matches(rule.labels)) continue;
    Json of_metric = Json::object();
    for (const auto& [key, value] : rule.labels) of_metric.set(key, value);
    Json item = Json::object({{"metricName", url.resource},
                              {"metricLabels", std::move(of_metric)},
                              {"timestamp", format_time(parts.rest.clock.wall_now() - rule.age)}});
    if (rule.window) item.set("window", whole_seconds(*rule.window));
    item.set("value", decimal_text(rule.value->at(now - each->added, 0)));
    items.push_back(std::move(item));
  }
  return metric_list_response("ExternalMetricValueList", call, std::move(items));
}

}  // namespace davit::sandbox
