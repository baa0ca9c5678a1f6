#include "sandbox/controllers/api_writer.hpp"

#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {

std::string collection_path(const Resource& resource, std::string_view ns) {
  std::string out = resource.group.empty() ? "/api/" : "/apis/" + resource.group + '/';
  out += resource.version;
  if (!ns.empty()) out.append("/namespaces/").append(ns);
  return out + '/' + resource.name;
}

std::string object_path(const Resource& resource, std::string_view ns, std::string_view name) {
  return collection_path(resource, ns).append("/").append(name);
}

ApiWriter::Outcome ApiWriter::create(const std::string& collection_path, const Json& object) {
  return call("POST", collection_path, object);
}
ApiWriter::Outcome ApiWriter::update(const std::string& path, const Json& object) {
  return call("PUT", path, object);
}
ApiWriter::Outcome ApiWriter::merge(const std::string& path, const Json& patch) {
  return call("PATCH", path, patch);
}
ApiWriter::Outcome ApiWriter::remove(const std::string& path, const Json& options) {
  return call("DELETE", path, options);
}

ApiWriter::Outcome ApiWriter::call(std::string method, const std::string& path, const Json& body) {
  HttpServerRequest request;
  const bool creates = method == "POST";
  const bool patches = method == "PATCH";
  request.method = std::move(method);
  request.target = path;
  request.headers = {
      {"User-Agent", "davit-sandbox/" + user_},
      {"Content-Type", patches ? "application/merge-patch+json" : "application/json"},
      {"Accept", "application/json"}};
  request.peer = PeerCertificate{"system:" + user_, {std::string(kMastersGroup)}, true};
  request.body = to_text(body);
  const HttpServerResponse response = server_.handle(request);
  if (response.status < 300) return Outcome::kDone;
  if (response.status == 404) return Outcome::kGone;
  return creates && response.status == 409 ? Outcome::kExists : Outcome::kFailed;
}

}  // namespace davit::sandbox
