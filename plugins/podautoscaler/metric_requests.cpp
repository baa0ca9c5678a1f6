#include "plugins/podautoscaler/metric_requests.hpp"

#include <algorithm>
#include <davit/kube/group_version.hpp>
#include <davit/kube/selector.hpp>
#include <davit/percent_escape.hpp>
#include <utility>

namespace davit::podautoscaler {
namespace {

constexpr std::string_view kCustomGroup = "custom.metrics.k8s.io";
constexpr std::string_view kExternalGroup = "external.metrics.k8s.io";
constexpr Resource kPodMetrics{"metrics.k8s.io", "v1beta1", "pods", "PodMetrics"};

/// The error of a fetch, as upstream words it. `what`: the resource of the request, for errors that
/// the server did not explain.
Status fetch_error(std::string_view api, const Status& error, std::string_view what) {
  std::string message = error.message();
  if (error.has_cause("UnexpectedServerResponse") && message.ends_with(')')) {
    // The host names its verb, which may be list.
    message.resize(std::min(message.rfind(" ("), message.size()));
    message += " (get " + std::string(what) + ")";
  }
  return {error.code(),
          "unable to fetch metrics from " + std::string(api) + " metrics API: " + message};
}

Status nothing_returned(std::string_view api) {
  return {Code::kUnavailable, "no metrics returned from " + std::string(api) + " metrics API"};
}

/// The text of a metric's selector; empty without one.
Result<std::string> selector_of(const MetricSpec& spec) {
  const Value selector = spec.metric[&Names::selector];
  if (selector.kind() != Kind::kObject) return std::string();
  const Result<Selector> parsed = Selector::parse(selector);
  if (!parsed) return parsed.error();
  return parsed->to_string();
}

void add_parameter(std::string& query, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!query.empty()) query += '&';
  query.append(name).append("=").append(percent_escaped(value));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& each : out) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
  return out;
}

}  // namespace

bool FreshCatalog::may_ask() {
  const Time now = cluster_.now();
  const std::lock_guard lock(mutex_);
  if (asked_ && now - *asked_ < period_) return false;
  asked_ = now;
  return true;
}

Result<PodValues> MetricRequests::resource(const MetricSpec& spec) {
  if (!pod_metrics_) {
    pod_metrics_ = cluster_.client().call(
        Request::list(kPodMetrics, scope_.ns, {.label_selector = scope_.pods}));
  }
  const std::string context = "unable to get metrics for resource " + std::string(spec.name);
  if (!*pod_metrics_) {
    return fetch_error("resource", pod_metrics_->error(), "pods.metrics.k8s.io")
        .with_context(context);
  }
  const Value list = **pod_metrics_;
  if (list[&Names::items].count() == 0) return nothing_returned("resource").with_context(context);
  const Result<PodValues> values = read_pod_metrics(list, spec.name, spec.container);
  if (values) return values;
  return fetch_error("resource", values.error(), "").with_context(context);
}

Result<std::string> MetricRequests::custom_version() {
  const auto find = [](const ServedCatalog& catalog) -> std::optional<std::string> {
    bool any = false;
    for (const ServedResource& each : catalog.resources) {
      if (each.group() != kCustomGroup) continue;
      any = true;
      if (each.version() == "v1beta2" || each.version() == "v1beta1") {
        return std::string(each.version());
      }
    }
    return any ? std::optional<std::string>("") : std::nullopt;
  };
  const Result<std::optional<std::string>> version = catalog_.look(find);
  if (!version) return version.error();
  if (!*version) {
    return Status(Code::kUnavailable, "no custom metrics API (custom.metrics.k8s.io) registered");
  }
  if ((*version)->empty()) {
    return Status(Code::kUnavailable, "no known available metric versions found");
  }
  return **version;
}

Result<Value> MetricRequests::custom(Request request) {
  const Result<std::string> version = custom_version();
  if (!version) return version.error();
  request.resource.version = *version;
  return cluster_.client().call(request);
}

SharedValues::Question MetricRequests::question(std::string_view kind,
                                                const Request& request) const {
  // No name of an object has a slash, so no two requests have one text.
  std::string what = scope_.ns;
  for (const std::string_view each :
       {kind, request.resource.resource, std::string_view(request.name),
        std::string_view(request.subresource), std::string_view(request.query)}) {
    what.append("/").append(each);
  }
  return {std::move(what), scope_.asker, cluster_.now()};
}

Result<PodValues> MetricRequests::pods(const MetricSpec& spec) {
  const Result<std::string> selector = selector_of(spec);
  if (!selector) return selector.error();
  const std::string context = "unable to get metric " + std::string(spec.name);
  Request request = Request::get({kCustomGroup, {}, "pods", {}}, {scope_.ns, "*"});
  request.subresource = spec.name;
  add_parameter(request.query, "labelSelector", scope_.pods);
  add_parameter(request.query, "metricLabelSelector", *selector);
  const Result<Value> list = custom(std::move(request));
  const std::string what = "pods.custom.metrics.k8s.io *";
  if (!list) return fetch_error("custom", list.error(), what).with_context(context);
  const Result<PodValues> values = read_custom_values(*list);
  if (!values) return fetch_error("custom", values.error(), what).with_context(context);
  if (values->empty()) return nothing_returned("custom").with_context(context);
  return values;
}

Result<std::string> MetricRequests::resource_of(Value described) {
  const std::string_view api_version = described["apiVersion"].string();
  const std::string group(split_api_version(api_version).group);
  const std::string kind(described[&Names::kind].string());
  const auto find = [&](const ServedCatalog& catalog) -> std::optional<std::string> {
    for (const ServedResource& each : catalog.resources) {
      if (each.group() != group || each.kind() != kind) continue;
      return std::string(each.resource()) + (group.empty() ? "" : "." + group);
    }
    return std::nullopt;
  };
  const Result<std::optional<std::string>> resource = catalog_.look(find);
  if (!resource) return resource.error();
  if (*resource) return **resource;
  return Status(Code::kNotFound, "unable to map kind " + kind + (group.empty() ? "" : "." + group) +
                                     " to resource: no matches for kind \"" + kind +
                                     "\" in group \"" + group + "\"");
}

Result<std::int64_t> MetricRequests::object(const MetricSpec& spec) {
  const Result<std::string> selector = selector_of(spec);
  if (!selector) return selector.error();
  const std::string_view kind = spec.described[&Names::kind].string();
  const std::string name(spec.described[&Names::name].string());
  const std::string context = "unable to get metric " + std::string(spec.name) + ": " +
                              std::string(kind) + " on " + scope_.ns + " " + name + "/";
  // Upstream joins what follows without a blank.
  const auto failed = [&](const Status& error, std::string_view what) {
    const Status fetched = fetch_error("custom", error, what);
    return Status(fetched.code(), context + fetched.message());
  };
  const bool is_namespace =
      kind == "Namespace" && split_api_version(spec.described["apiVersion"].string()).group.empty();
  std::string resource = "metrics";
  Key key{scope_.ns, std::string(spec.name)};
  if (!is_namespace) {
    const Result<std::string> mapped = resource_of(spec.described);
    if (!mapped) return failed(mapped.error(), "");
    resource = *mapped;
    key.name = name;
  }
  Request request = Request::get({kCustomGroup, {}, resource, {}}, key);
  if (!is_namespace) request.subresource = spec.name;
  add_parameter(request.query, "metricLabelSelector", *selector);
  const SharedValues::Question asked = question("object", request);
  if (const auto known = values_.find(asked)) return *known;
  const Result<Value> list = custom(std::move(request));
  const std::string what = resource + ".custom.metrics.k8s.io " + key.name;
  if (!list) return failed(list.error(), what);
  const Result<std::int64_t> value = read_custom_value(*list);
  if (!value) return failed(value.error(), what);
  values_.put(asked, *value);
  return value;
}

Result<std::int64_t> MetricRequests::external(const MetricSpec& spec) {
  const Result<std::string> selector = selector_of(spec);
  if (!selector) return selector.error();
  const std::string context = "unable to get external metric " + scope_.ns + "/" +
                              std::string(spec.name) + "/" +
                              printed_selector(spec.metric[&Names::selector]);
  const std::string resource = lower(spec.name);
  Request request = Request::list({kExternalGroup, "v1beta1", resource, {}}, scope_.ns,
                                  {.label_selector = *selector});
  const SharedValues::Question asked = question("external", request);
  if (const auto known = values_.find(asked)) return *known;
  const Result<Value> list = cluster_.client().call(request);
  const std::string what = std::string(spec.name) + "." + std::string(kExternalGroup);
  if (!list) return fetch_error("external", list.error(), what).with_context(context);
  const Result<std::int64_t> sum = read_external_sum(*list);
  if (sum) {
    values_.put(asked, *sum);
    return sum;
  }
  const Status error = sum.error().code() == Code::kNotFound
                           ? nothing_returned("external")
                           : fetch_error("external", sum.error(), what);
  return error.with_context(context);
}

}  // namespace davit::podautoscaler
