/// Client: requests to the API server, from a sync or timer only.
#pragma once

#include <cstdint>
#include <davit/key.hpp>
#include <davit/kube/resource.hpp>
#include <davit/object.hpp>
#include <davit/percent_escape.hpp>
#include <davit/time.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

enum class PatchType : std::int32_t {
  kJson = DAVIT_PATCH_JSON,
  kMerge = DAVIT_PATCH_MERGE,
  kStrategic = DAVIT_PATCH_STRATEGIC,
  kApply = DAVIT_PATCH_APPLY,
};

enum class Propagation : std::int32_t {
  kDefault = DAVIT_PROPAGATION_DEFAULT,
  kOrphan = DAVIT_PROPAGATION_ORPHAN,
  kBackground = DAVIT_PROPAGATION_BACKGROUND,
  kForeground = DAVIT_PROPAGATION_FOREGROUND,
};

/// The part of the object that the server sends. Metadata is cheaper, and enough for most writes.
enum class Answer : std::int32_t {
  kObject = DAVIT_ANSWER_OBJECT,
  kMetadata = DAVIT_ANSWER_METADATA,  ///< Items of a list are cut, too.
};

struct WriteOptions {
  std::string_view subresource = {};  ///< Empty, or "status", "scale", ….
  Answer answer = Answer::kObject;
  std::string_view query = {};  ///< Form-encoded: "fieldManager=x&force=true".
};

struct DeleteOptions {
  Propagation propagation = Propagation::kDefault;
  std::optional<std::int64_t> grace_seconds = std::nullopt;
  std::string uid = {};               ///< Precondition; empty: none.
  std::string resource_version = {};  ///< Precondition; empty: none.
};

/// One request, for batches. The factories cover the usual ones.
struct Request {
  std::int32_t verb = DAVIT_GET;
  Resource resource{};
  std::string subresource{};
  std::string ns{};
  std::string name{};
  std::string body{};
  PatchType patch_type = PatchType::kMerge;
  Answer answer = Answer::kObject;
  std::string query{};
  DeleteOptions deletion{};
  std::chrono::milliseconds timeout{0};  ///< 0: the host's default.

  template <typename View>
  [[nodiscard]] static Request get(const Key& key) {
    return of<View>(DAVIT_GET, key);
  }
  template <typename View>
  [[nodiscard]] static Request create(std::string_view ns, std::string body,
                                      const WriteOptions& options = {}) {
    Request request = of<View>(DAVIT_CREATE, Key{std::string(ns), std::string()});
    request.body = std::move(body);
    request.apply(options);
    return request;
  }
  template <typename View>
  [[nodiscard]] static Request update(const Key& key, std::string body,
                                      const WriteOptions& options = {}) {
    Request request = of<View>(DAVIT_UPDATE, key);
    request.body = std::move(body);
    request.apply(options);
    return request;
  }
  template <typename View>
  [[nodiscard]] static Request patch(const Key& key, PatchType type, std::string body,
                                     const WriteOptions& options = {}) {
    Request request = of<View>(DAVIT_PATCH, key);
    request.patch_type = type;
    request.body = std::move(body);
    request.apply(options);
    return request;
  }
  /// The response is the metadata of the object, or a Status.
  template <typename View>
  [[nodiscard]] static Request remove(const Key& key, DeleteOptions options = {}) {
    Request request = of<View>(DAVIT_DELETE, key);
    request.answer = Answer::kMetadata;
    request.deletion = std::move(options);
    return request;
  }
  /// Deletes all objects of a resource in a namespace, or those that `query` selects.
  [[nodiscard]] static Request remove_collection(const Resource& resource, std::string_view ns,
                                                 DeleteOptions options = {},
                                                 std::string_view query = {}) {
    Request request;
    request.verb = DAVIT_DELETE_COLLECTION;
    request.resource = resource;
    request.ns = ns;
    request.answer = Answer::kMetadata;
    request.deletion = std::move(options);
    request.query = query;
    return request;
  }

 private:
  template <typename View>
  [[nodiscard]] static Request of(std::int32_t verb, const Key& key) {
    Request request;
    request.verb = verb;
    request.resource = View::kResource;
    request.ns = key.ns;
    request.name = key.name;
    return request;
  }
  void apply(const WriteOptions& options) {
    subresource = options.subresource;
    answer = options.answer;
    query = options.query;
  }
};

/// Waits for each response. Errors carry the server's ApiDetail: reason and causes. After
/// kUnavailable a write may or may not have happened.
///
/// The host remembers successful writes, and does not hand out the key again before the cache has
/// seen them.
class Client {
 public:
  /// `api` must outlive the client.
  explicit Client(const Api& api) : api_(&api) {}

  /// A read from the server, not from the cache.
  template <typename View>
  [[nodiscard]] Result<View> get(const Key& key) const {
    return view<View>(call(Request::get<View>(key)));
  }
  /// `body` carries metadata.name or generateName.
  template <typename View>
  [[nodiscard]] Result<View> create(std::string_view ns, std::string body,
                                    const WriteOptions& options = {}) const {
    return view<View>(call(Request::create<View>(ns, std::move(body), options)));
  }
  /// A PUT. `body` must carry the resourceVersion that it was built from.
  template <typename View>
  [[nodiscard]] Result<View> update(const Key& key, std::string body,
                                    const WriteOptions& options = {}) const {
    return view<View>(call(Request::update<View>(key, std::move(body), options)));
  }
  template <typename View>
  [[nodiscard]] Result<View> patch(const Key& key, PatchType type, std::string body,
                                   const WriteOptions& options = {}) const {
    return view<View>(call(Request::patch<View>(key, type, std::move(body), options)));
  }
  template <typename View>
  [[nodiscard]] Status remove(const Key& key, DeleteOptions options = {}) const {
    return call(Request::remove<View>(key, std::move(options))).error();
  }
  /// An uncached list of a namespace. `label_selector` in its text form, see Selector::to_string.
  template <typename View>
  [[nodiscard]] Result<std::vector<View>> list(std::string_view ns,
                                               std::string_view label_selector = {}) const;

  /// The object in the response; absent after a delete that returned a Status.
  [[nodiscard]] Result<Value> call(const Request& request) const {
    const davit_request raw = to_raw(request);
    davit_response response{};
    response.size = sizeof(response);
    response.code = api_->client->call(api_->call(), &raw, &response);
    return to_result(response);
  }

  /// Sends all at once, as the rate limiter admits them; the n-th result belongs to the n-th
  /// request.
  [[nodiscard]] std::vector<Result<Value>> batch(std::span<const Request> requests) const {
    std::vector<davit_request> raw;
    raw.reserve(requests.size());
    for (const Request& request : requests) raw.push_back(to_raw(request));
    davit_response empty{};
    empty.size = sizeof(empty);
    empty.code = DAVIT_CANCELLED;  // The result of a request that the host never reached.
    std::vector<davit_response> responses(requests.size(), empty);
    static_cast<void>(api_->client->batch(api_->call(), raw.data(), sizeof(davit_request),
                                          responses.data(), sizeof(davit_response), raw.size()));
    std::vector<Result<Value>> results;
    results.reserve(responses.size());
    for (const davit_response& response : responses) results.push_back(to_result(response));
    return results;
  }

  /// Ok, kNotFound when the server lacks the resource, kUnavailable when that is not known. Also
  /// allowed while a controller is made.
  [[nodiscard]] Status resource_exists(const Resource& resource) const {
    const davit_code code = api_->client->resource_exists(
        api_->call(), to_c(resource.group), to_c(resource.version), to_c(resource.resource));
    if (code == DAVIT_OK) return {};
    return Status(from_c(code), "the server does not offer " + std::string(resource.resource) +
                                    " in " + resource.api_version());
  }

 private:
  template <typename View>
  [[nodiscard]] static Result<View> view(const Result<Value>& result) {
    if (!result) return result.error();
    return View(*result);
  }
  /// Borrows from `request`.
  [[nodiscard]] static davit_request to_raw(const Request& request);
  [[nodiscard]] Result<Value> to_result(const davit_response& response) const;

  const Api* api_;
};

inline davit_request Client::to_raw(const Request& request) {
  davit_request raw{};
  raw.size = sizeof(raw);
  raw.verb = request.verb;
  raw.group = to_c(request.resource.group);
  raw.version = to_c(request.resource.version);
  raw.resource = to_c(request.resource.resource);
  raw.subresource = to_c(request.subresource);
  raw.ns = to_c(request.ns);
  raw.name = to_c(request.name);
  raw.body = to_c(request.body);
  raw.patch_type = request.verb == DAVIT_PATCH ? static_cast<std::int32_t>(request.patch_type) : 0;
  raw.answer = static_cast<std::int32_t>(request.answer);
  raw.query = to_c(request.query);
  raw.propagation = static_cast<std::int32_t>(request.deletion.propagation);
  raw.has_grace_seconds = request.deletion.grace_seconds ? 1 : 0;
  raw.grace_seconds = request.deletion.grace_seconds.value_or(0);
  raw.precondition_uid = to_c(request.deletion.uid);
  raw.precondition_resource_version = to_c(request.deletion.resource_version);
  raw.timeout_ms = static_cast<std::uint64_t>(request.timeout.count());
  return raw;
}

inline Result<Value> Client::to_result(const davit_response& response) const {
  if (response.code == DAVIT_OK) return Value(api_, response.object);
  ApiDetail detail;
  detail.http_status = response.http_status;
  detail.reason = from_c(response.reason);
  detail.retry_after_ms = response.retry_after_ms;
  return to_status(response.code, from_c(response.message), std::move(detail),
                   from_c(response.causes));
}

template <typename View>
Result<std::vector<View>> Client::list(std::string_view ns, std::string_view label_selector) const {
  Request request;
  request.verb = DAVIT_LIST;
  request.resource = View::kResource;
  request.ns = ns;
  if (!label_selector.empty()) request.query = "labelSelector=" + percent_escaped(label_selector);
  const Result<Value> list = call(request);
  if (!list) return list.error();
  std::vector<View> views;
  for (const Value each : (*list)[&Names::items].elements()) views.push_back(View(each));
  return views;
}

}  // namespace davit
