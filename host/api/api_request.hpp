/// One request to the API server in Kubernetes' terms, and its response.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

struct ApiCatalog;

enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection };
enum class PatchType { kJson, kMerge, kStrategic, kApply };
enum class Propagation { kDefault, kOrphan, kBackground, kForeground };
/// Whether the server is to keep what is written. kServer: the write is sent with dryRun=All.
enum class DryRun { kOff, kServer };

/// The order of requests that wait for their client's limiter. See TokenBucket.
enum class RequestPriority { kNormal, kHigh, kLow };

/// The target of a request: "/apis/apps/v1/namespaces/default/replicasets/web/status".
struct ResourcePath {
  std::string group;  ///< Empty: core.
  std::string version;
  std::string resource;  ///< Plural, lower case.
  std::string subresource;
  std::string ns;    ///< Empty: cluster-scoped, or all namespaces.
  std::string name;  ///< Empty for lists and creates.
};

struct DeleteOptions {
  Propagation propagation = Propagation::kDefault;
  std::optional<std::int64_t> grace_seconds;
  std::string uid;               ///< Precondition; empty: none.
  std::string resource_version;  ///< Precondition; empty: none.
};

/// Accepts the metadata of an object alone, as client-go's metadata client does. JSON at the end is
/// for resources of which the server has no such form.
inline constexpr std::string_view kAcceptMetadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
/// The same for a list.
inline constexpr std::string_view kAcceptMetadataList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

struct ApiRequest {
  Verb verb = Verb::kGet;
  ResourcePath path;
  /// Used instead of `path` if not empty, for a path that is not a resource: "/healthz". Only for
  /// kGet.
  std::string raw_path;
  std::string body;  ///< JSON, for kCreate, kUpdate and kPatch.
  /// Further parameters, form-encoded: "labelSelector=app%3Dweb". Decoded and encoded again before
  /// it is sent. `dryRun`, `timeout` and `watch` are not among them.
  std::string query;
  std::string accept = "application/json";
  PatchType patch_type = PatchType::kMerge;
  DeleteOptions delete_options;
  DryRun dry_run = DryRun::kOff;
  RequestPriority priority = RequestPriority::kNormal;
  /// The server's resources, which the kind of the response is checked against; null: unknown.
  /// Kinds of built-in groups are known without them.
  std::shared_ptr<const ApiCatalog> catalog{};
  std::string traceparent;  ///< The header of that name (W3C Trace Context); empty: none.
  /// Limit from the first attempt to the end, retries included, the wait for the rate limiter not.
  /// 0: the client's default; streams have none.
  Duration timeout{0};
  /// Whether the server gets the parameter `timeout`, which shortens its own limit for a write.
  /// False for a default limit.
  bool server_knows_timeout = true;
  /// When the response is of no use any more. A request that the rate limiter would send later
  /// fails at once.
  Time deadline = Time::max();
};

struct ApiResponse {
  Status status;                ///< With ApiDetail if the server responded.
  int http_status = 0;          ///< 0: no response.
  Break broken = Break::kNone;  ///< The failure below HTTP; `status` then has the text.
  std::string body;
  std::string content_type;
  Time began{};  ///< When the request was taken on, before any wait; zero: it was refused.
  Time ended{};
  int attempts = 0;  ///< Number sent, including retries; 0 also for a stream.
  /// A write that an attempt before the last one may have carried out.
  bool has_unclear_attempt = false;
};

}  // namespace davit::host
