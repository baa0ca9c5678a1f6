/// Bodies of successful responses that fit their requests.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/net/transport.hpp"

namespace davit::test {

/// The least that a server may send in response to a request for one of some built-in resources: an
/// object of the name in the path or body, "new" without one, an empty list, or a Status. `more`:
/// further members of the object, with a comma in front.
[[nodiscard]] inline std::string fitting_body(const HttpRequest& request,
                                              std::string_view more = "") {
  static const std::map<std::string, std::string, std::less<>> kKinds = {
      {"configmaps", "ConfigMap"},           {"events", "Event"},
      {"namespaces", "Namespace"},           {"pods", "Pod"},
      {"replicasets", "ReplicaSet"},         {"secrets", "Secret"},
      {"serviceaccounts", "ServiceAccount"},
  };
  std::vector<std::string> parts;
  const std::string path = request.target.substr(0, request.target.find('?'));
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t end = path.find('/', at + 1);
    parts.push_back(path.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    at = end;
  }
  std::size_t next = parts.at(0) == "api" ? 1 : 2;
  std::string version = parts.at(next++);
  if (parts[0] == "apis") version = parts[1] + '/' + version;
  std::string ns;
  if (parts.at(next) == "namespaces" && parts.size() > next + 2) {
    ns = parts[next + 1];
    next += 2;
  }
  std::string kind = kKinds.at(parts.at(next++));
  std::string name = next < parts.size() ? parts[next++] : "";
  if (next < parts.size() && parts[next] == "scale") {
    kind = "Scale";
    version = "autoscaling/v1";
  }
  const std::string type = R"("apiVersion":")" + version + R"(","kind":")" + kind;
  if (request.method == "DELETE") {
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})";
  }
  if (request.method == "GET" && name.empty()) {
    return "{" + type + R"(List","metadata":{"resourceVersion":"9"},"items":[]})";
  }
  constexpr std::string_view kName = R"("name":")";
  if (const std::size_t at = request.body.find(kName); name.empty() && at != std::string::npos) {
    const std::size_t begin = at + kName.size();
    name = request.body.substr(begin, request.body.find('"', begin) - begin);
  }
  std::string metadata = R"("name":")" + (name.empty() ? "new" : name) + R"(","uid":"u")";
  if (!ns.empty()) metadata += R"(,"namespace":")" + ns + '"';
  return "{" + type + R"(","metadata":{)" + metadata + R"(,"resourceVersion":"9"})" +
         std::string(more) + "}";
}

}  // namespace davit::test
