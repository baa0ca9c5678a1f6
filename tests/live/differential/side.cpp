#include "tests/live/differential/side.hpp"

#include <cctype>

#include "tests/live/differential/comparison.hpp"

namespace davit::live {

namespace {

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

std::string path_of(const Json& object) {
  std::string plural = object.text_at({"kind"});
  for (char& c : plural) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (plural != "endpoints") plural += 's';
  const std::string& version = object.text_at({"apiVersion"});
  return (version == "v1" ? "/api/v1" : "/apis/" + version) + "/namespaces/" + kFuzzNamespace +
         '/' + plural + '/' + object.text_at({"metadata", "name"});
}

}  // namespace

Side::Side(checks::Server& server) : server_(server) { send(create_namespace()); }

std::string Side::answer(const Operation& operation) {
  if (operation.method == kWatchEnd) return watch(operation.target);
  if (operation.method == kWatchStart) {
    const std::string collection = operation.target.substr(0, operation.target.find('?'));
    send({"GET", collection, "", "", {}});
    start_ = last_.body;
    return "";
  }
  send(operation);
  if (responds_by_version(operation)) return std::to_string(last_.status);
  return operation.method == "DELETE" ? comparable_deletion(last_) : comparable(last_);
}

void Side::send(const Operation& operation) {
  checks::Headers headers = {{"Authorization", "Bearer admin-token"}};
  if (!operation.type.empty()) headers.emplace_back("Content-Type", operation.type);
  last_ = server_.send(operation.method, filled(operation.target, operation), headers,
                       filled(operation.body, operation));
  observe();
}

std::string Side::watch(const std::string& selection) {
  const Result<Json> list = parse_json(start_);
  const std::string version =
      list ? list->text_at({"metadata", "resourceVersion"}) : std::string("0");
  const checks::Watched watched = server_.watch(
      selection + "watch=1&timeoutSeconds=1&resourceVersion=" + version,
      {{"Authorization", "Bearer admin-token"}}, [] {}, 0, true, std::chrono::seconds(10));
  return watched.reply.status == 200 ? comparable_events(start_, watched.reply.body)
                                     : comparable(watched.reply);
}

std::string Side::filled(std::string text, const Operation& operation) {
  const std::size_t at = text.find("@RV@");
  return at == std::string::npos ? text : text.replace(at, 4, versions_[operation.object]);
}

void Side::observe() {
  const Result<Json> body = parse_json(last_.body);
  if (!body) return;
  const std::string& version = body->text_at({"metadata", "resourceVersion"});
  if (!version.empty()) versions_[path_of(*body)] = version;
}

}  // namespace davit::live
