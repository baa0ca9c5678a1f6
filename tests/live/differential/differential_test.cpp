// The same random requests to a real kube-apiserver and to the sandbox: the same responses.
//
// DAVIT_DIFFERENTIAL_SEED and DAVIT_DIFFERENTIAL_OPERATIONS choose the sequence;
// DAVIT_DIFFERENTIAL_TRACE prints every operation on paths that contain its text.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/live/differential/comparison.hpp"
#include "tests/live/differential/operations.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/support/sandbox_api.hpp"

namespace davit::live {
namespace {

constexpr int kOperations = 10'000;
/// A watch is compared over so many operations at a time.
constexpr int kBatch = 250;
constexpr int kReportsMax = 25;

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

/// One server and the resourceVersions that it has given out.
class Side {
 public:
  explicit Side(checks::Server& server) : server_(server) {}

  checks::Reply send(const Operation& operation) {
    checks::Headers headers = {{"Authorization", "Bearer admin-token"}};
    if (!operation.type.empty()) headers.emplace_back("Content-Type", operation.type);
    checks::Reply reply = server_.send(operation.method, filled(operation.target, operation),
                                       headers, filled(operation.body, operation));
    observe(reply);
    return reply;
  }

  /// The version at which a watch starts: that of a list of everything at `path`.
  [[nodiscard]] std::string list(const std::string& path) {
    return send({"GET", path, "", "", {}}).body;
  }

  /// The events of `selection` after the list `before`.
  std::string watch(const std::string& selection, const std::string& before) {
    const Result<Json> list = parse_json(before);
    const std::string version =
        list ? list->text_at({"metadata", "resourceVersion"}) : std::string("0");
    const checks::Watched watched = server_.watch(
        selection + "watch=1&timeoutSeconds=1&resourceVersion=" + version,
        {{"Authorization", "Bearer admin-token"}}, [] {}, 0, true, std::chrono::seconds(10));
    return watched.reply.status == 200 ? comparable_events(before, watched.reply.body)
                                       : comparable(watched.reply);
  }

 private:
  std::string filled(std::string text, const Operation& operation) {
    const std::size_t at = text.find("@RV@");
    return at == std::string::npos ? text : text.replace(at, 4, versions_[operation.object]);
  }
  void observe(const checks::Reply& reply) {
    const Result<Json> body = parse_json(reply.body);
    if (!body) return;
    const std::string& version = body->text_at({"metadata", "resourceVersion"});
    if (version.empty()) return;
    versions_[path_of(*body)] = version;
  }
  static std::string path_of(const Json& object) {
    std::string plural = object.text_at({"kind"});
    for (char& c : plural) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (plural != "endpoints") plural += 's';
    const std::string& version = object.text_at({"apiVersion"});
    return (version == "v1" ? "/api/v1" : "/apis/" + version) + "/namespaces/" + kFuzzNamespace +
           '/' + plural + '/' + object.text_at({"metadata", "name"});
  }

  checks::Server& server_;
  std::map<std::string, std::string> versions_;
};

/// Since v1.23 the deletion of a Service responds with the Service instead of a Status.
bool responds_by_version(const Operation& operation) {
  return operation.method == "DELETE" && operation.target.find("/services") != std::string::npos;
}

Operation create_namespace() {
  return {"POST",
          "/api/v1/namespaces",
          "application/json",
          std::string(R"({"metadata":{"name":")") + kFuzzNamespace + R"("}})",
          {}};
}

TEST(Differential, RandomRequestsGetTheSameResponses) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  const std::uint64_t seed = number_from("DAVIT_DIFFERENTIAL_SEED", 1);
  const auto count = static_cast<int>(number_from("DAVIT_DIFFERENTIAL_OPERATIONS", kOperations));
  std::printf("%d operations from seed %llu\n", count, static_cast<unsigned long long>(seed));
  ControlPlane plane;
  HttpApi real_server(plane.server(), plane.ca_file(), [] {});
  test::SandboxApi sandbox_server;
  Side real(real_server);
  Side sandbox(sandbox_server);
  static_cast<void>(real.send(create_namespace()));
  static_cast<void>(sandbox.send(create_namespace()));
  OperationSource source(seed);

  const char* trace = std::getenv("DAVIT_DIFFERENTIAL_TRACE");  // A part of a path.
  int reports = 0;
  const auto compare = [&](const std::string& what, const std::string& wanted,
                           const std::string& given) {
    if (wanted == given || ++reports > kReportsMax) return;
    ADD_FAILURE() << what << "\n real:    " << wanted << "\n sandbox: " << given;
  };
  for (int i = 0; i < count && reports < kReportsMax; i += kBatch) {
    const std::string selection = source.selection();
    const std::string collection = selection.substr(0, selection.find('?'));
    const std::string real_start = real.list(collection);
    const std::string sandbox_start = sandbox.list(collection);
    for (int k = i; k < std::min(i + kBatch, count); ++k) {
      const Operation operation = source.next();
      const checks::Reply wanted = real.send(operation);
      const checks::Reply given = sandbox.send(operation);
      const std::string what = "operation " + std::to_string(k) + ": " + operation.str();
      if (trace != nullptr && operation.target.find(trace) != std::string::npos) {
        std::printf("%s\n real:    %s\n sandbox: %s\n", what.c_str(), wanted.body.c_str(),
                    given.body.c_str());
      }
      if (responds_by_version(operation)) {
        compare(what, std::to_string(wanted.status), std::to_string(given.status));
      } else if (operation.method == "DELETE") {
        compare(what, comparable_deletion(wanted), comparable_deletion(given));
      } else {
        compare(what, comparable(wanted), comparable(given));
      }
    }
    compare("watch " + selection + " over operations from " + std::to_string(i),
            real.watch(selection, real_start), sandbox.watch(selection, sandbox_start));
  }
}

}  // namespace
}  // namespace davit::live
