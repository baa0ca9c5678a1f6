#include "sandbox/rest/pod_log.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "sandbox/rest/options.hpp"

namespace davit::sandbox {

namespace {

constexpr std::array<std::string_view, 3> kContainerLists = {"initContainers", "containers",
                                                             "ephemeralContainers"};
constexpr std::array<std::string_view, 3> kStatusLists = {
    "initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"};

std::vector<std::string> container_names(const Json& pod) {
  std::vector<std::string> out;
  for (const std::string_view list : kContainerLists) {
    for (const Json& each : pod.get("spec").get(list).items()) {
      out.push_back(each.get("name").text());
    }
  }
  return out;
}

/// The name of the selected container; 400 if the request is ambiguous.
ApiResult<std::string> chosen_container(const Json& pod, std::string_view asked) {
  const std::vector<std::string> names = container_names(pod);
  const std::string& name = pod.text_at({"metadata", "name"});
  if (!asked.empty()) {
    if (std::ranges::find(names, asked) != names.end()) return std::string(asked);
    return bad_request("container " + std::string(asked) + " is not valid for pod " + name);
  }
  if (names.size() == 1) return names.front();
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : " ") + each;
  return bad_request("a container name must be specified for pod " + name + ", choose one of: [" +
                     list + ']');
}

const Json* find_status(const Json& pod, const std::string& container) {
  for (const std::string_view list : kStatusLists) {
    for (const Json& each : pod.get("status").get(list).items()) {
      if (each.get("name").text() == container) return &each;
    }
  }
  return nullptr;
}

/// The part of a log that is still to come: none, until the container ends or its pod is gone.
class LogStream final : public HttpBodyStream {
 public:
  LogStream(const RestParts& parts, ResourcePtr pods, std::string ns, const Json& pod,
            std::string container)
      : parts_(parts),
        pods_(std::move(pods)),
        ns_(std::move(ns)),
        name_(pod.text_at({"metadata", "name"})),
        uid_(pod.text_at({"metadata", "uid"})),
        container_(std::move(container)) {}

  [[nodiscard]] State read(std::string& /*out*/, std::size_t /*bytes_max*/) override {
    const VersionPtr version = parts_.store.get(pods_->collection, ns_, name_);
    if (version == nullptr) return State::kEnded;
    const Json pod = version->json();
    if (pod.text_at({"metadata", "uid"}) != uid_) return State::kEnded;
    const Json* const status = find_status(pod, container_);
    return status != nullptr && status->get("state").contains("running") ? State::kOpen
                                                                         : State::kEnded;
  }
  void on_ready(std::function<void()> ready) override {
    subscription_ = parts_.store.subscribe(pods_->collection, std::move(ready));
  }
  [[nodiscard]] Time next_read() const override { return Time::max(); }

 private:
  const RestParts parts_;
  const ResourcePtr pods_;
  const std::string ns_;
  const std::string name_;
  const std::string uid_;
  const std::string container_;
  std::unique_ptr<Store::Subscription> subscription_;
};

/// k8s: ValidatePodLogOptions.
ApiFailure check_options(const Query& query, const std::string& name) {
  FieldErrors errors;
  const auto check = [&](std::string_view key, std::int64_t min, std::string_view why) {
    const std::optional<std::string_view> text = query.find(key);
    if (!text || text->empty()) return ApiFailure();
    const ApiResult<std::int64_t> number = parse_query_integer(*text);
    if (!number) return ApiFailure(number.error());
    if (*number < min) errors.push_back(field_invalid(std::string(key), Json(*number), why));
    return ApiFailure();
  };
  constexpr std::string_view kNotNegative = "must be greater than or equal to 0";
  if (ApiFailure failure = check("tailLines", 0, kNotNegative)) return failure;
  if (ApiFailure failure = check("limitBytes", 1, "must be greater than 0")) return failure;
  if (query.find("sinceSeconds") && query.find("sinceTime")) {
    errors.push_back(
        field_forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (ApiFailure failure = check("sinceSeconds", 1, "must be greater than 0")) {
    return failure;
  }
  if (errors.empty()) return std::nullopt;
  return invalid({"", "PodLogOptions", name}, std::move(errors));
}

}  // namespace

ApiResult<HttpServerResponse> get_pod_log(const RestParts& parts, const Call& call) {
  const std::string& name = call.url.name;
  if (ApiFailure failure = check_options(call.url.query, name)) return *failure;
  const VersionPtr version = parts.store.get(call.resource->collection, call.ns(), name);
  if (version == nullptr) return not_found(Subject::resource(*call.resource, name));
  const Json pod = version->json();
  const ApiResult<std::string> container = chosen_container(pod, call.url.query.get("container"));
  if (!container) return container.error();
  HttpServerResponse response;
  response.content_type = "text/plain";
  if (pod.text_at({"spec", "nodeName"}).empty()) {
    response.status = 204;
    return response;
  }
  const Json* status = find_status(pod, *container);
  const Json state = status == nullptr ? Json() : status->get("state");
  if (!state.contains("running") && !state.contains("terminated")) {
    const std::string& reason = state.text_at({"waiting", "reason"});
    return bad_request(
        "container \"" + *container + "\" in pod \"" + name +
        "\" is waiting to start: " + (reason.empty() ? "ContainerCreating" : reason));
  }
  response.body = "davit sandbox: container \"" + *container + "\" of pod \"" + name +
                  "\" is simulated and writes no log\n";
  if (call.url.query.get("follow") == "true" && state.contains("running")) {
    response.stream = std::make_unique<LogStream>(parts, call.resource, call.ns(), pod, *container);
  }
  return response;
}

}  // namespace davit::sandbox
