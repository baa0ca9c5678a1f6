/// The records of the in-memory cluster for assertions, and the faults that it injects.
#pragma once

#include <cstdint>
#include <davit/http.hpp>
#include <davit/request.hpp>
#include <davit/testing/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace davit::testing {

/// The verb of a request to the API server.
enum class Verb : std::int32_t {
  kGet = DAVIT_GET,
  kList = DAVIT_LIST,
  kCreate = DAVIT_CREATE,
  kUpdate = DAVIT_UPDATE,
  kPatch = DAVIT_PATCH,
  kDelete = DAVIT_DELETE,
  kDeleteCollection = DAVIT_DELETE_COLLECTION,
};

/// "get", "list", …: as RBAC calls them.
[[nodiscard]] inline std::string_view verb_text(Verb verb) {
  constexpr std::string_view kTexts[] = {"",       "get",   "list",   "create",
                                         "update", "patch", "delete", "deletecollection"};
  const auto index = static_cast<std::size_t>(verb);
  return index < std::size(kTexts) ? kTexts[index] : kTexts[0];
}

/// One request that a controller made, with its outcome.
struct RequestRecord {
  Verb verb = Verb::kGet;
  std::string resource{};  ///< Plural: "pods".
  std::string subresource{};
  std::string ns{};
  std::string name{};  ///< The name that a create was given or generated.
  std::string body{};
  PatchType patch_type = PatchType::kMerge;
  std::string query{};
  int http_status = 0;

  [[nodiscard]] bool ok() const { return http_status >= 200 && http_status < 300; }
  [[nodiscard]] bool is_write() const { return verb != Verb::kGet && verb != Verb::kList; }
  [[nodiscard]] Json json() const { return Json::must(body); }
  /// "patch replicasets/web/status 200": for EXPECT_THAT and failure messages.
  [[nodiscard]] std::string text() const {
    std::string out = std::string(verb_text(verb)) + " " + resource;
    if (!name.empty()) out += "/" + name;
    if (!subresource.empty()) out += "/" + subresource;
    return out + " " + std::to_string(http_status);
  }
};

/// One attempt of a controller's HTTP request to a server outside the cluster.
struct HttpRecord {
  std::string method{};
  std::string url{};
  http::Headers headers{};
  std::string body{};
  int http_status = 0;  ///< As the test responded; 0: no response.

  [[nodiscard]] Json json() const { return Json::must(body); }
  /// "PUT https://dns.example.com/zones/a 200".
  [[nodiscard]] std::string text() const {
    return method + " " + url + " " + std::to_string(http_status);
  }
};

/// The behaviour of such a server.
struct HttpReply {
  enum class Failure {
    kNone,
    kRefused,  ///< No connection; nothing was sent.
    kLost,     ///< The request arrives, its response does not.
    kHang,     ///< The server does not respond; the request's time-out ends it.
  };

  int http_status = 200;
  std::string body{};
  http::Headers headers{};
  Failure failure = Failure::kNone;
};

/// An Event that the controller recorded, before it was correlated.
struct EventRecord {
  std::string type{};  ///< "Normal" or "Warning".
  std::string reason{};
  std::string message{};
  std::string api_version{};
  std::string kind{};
  std::string ns{};
  std::string name{};
  std::string uid{};

  /// "Normal SuccessfulCreate Created pod: web-x".
  [[nodiscard]] std::string text() const { return type + " " + reason + " " + message; }
};

/// A line that the controller logged; `level` is one of DAVIT_LOG_*.
struct LogRecord {
  std::int32_t level = 0;
  std::string message{};
  std::vector<std::pair<std::string, std::string>> fields{};
};

/// A value that the controller recorded for one of its metrics, with its label values.
struct MetricSample {
  std::string name{};
  double value = 0;
  std::vector<std::string> labels{};
};

/// One sync that ran.
struct SyncRecord {
  std::string controller{};
  std::string key{};
  Code code = Code::kOk;
  std::string error{};  ///< The text that the controller passed to error_text.
  std::uint64_t again_ms = 0;

  [[nodiscard]] bool ok() const { return code == Code::kOk; }
};

/// Whether a failing request takes effect nevertheless, as after a time-out.
enum class Effect { kNone, kApplied };

/// Makes requests fail. Empty members match everything.
struct Fault {
  Verb verb = Verb::kGet;
  std::string resource{};
  std::string subresource{};
  std::string name{};
  int http_status = 500;  ///< 0: the connection broke.
  std::string reason = "InternalError";
  std::string message = "injected failure";
  std::vector<std::string> causes{};
  int times = 1;  ///< Requests that fail; kAlways: all of them.
  int skip = 0;   ///< Matching requests that pass before the first failure.
  Effect effect = Effect::kNone;
  /// Not empty: the body of the response, with `http_status`, which may be 200: a response that is
  /// not what was asked for.
  std::string body{};

  static constexpr int kAlways = -1;
};

/// Prints text(), for messages of a test.
inline std::ostream& operator<<(std::ostream& out, const RequestRecord& r) {
  return out << r.text();
}
/// Prints text(), for messages of a test.
inline std::ostream& operator<<(std::ostream& out, const HttpRecord& r) { return out << r.text(); }
/// Prints text(), for messages of a test.
inline std::ostream& operator<<(std::ostream& out, const EventRecord& r) { return out << r.text(); }

}  // namespace davit::testing
