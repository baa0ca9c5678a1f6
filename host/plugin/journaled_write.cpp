#include "host/plugin/journaled_write.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "host/api/request_builder.hpp"
#include "host/run/code_name.hpp"

namespace davit::host {

Write describe_write(const ApiRequest& request, const ApiResponse& response, Time now) {
  Write write;
  write.verb = verb_name(request.verb);
  write.object = {request.path.group, request.path.resource, request.path.ns, request.path.name};
  write.subresource = request.path.subresource;
  write.http_status = response.http_status;
  write.began = response.began == Time{} ? now : response.began;
  write.took = std::max(response.ended - write.began, Duration::zero());
  write.attempts = static_cast<std::uint32_t>(std::max(response.attempts, 0));
  if (response.status.ok()) return write;
  const ApiDetail* const detail = response.status.detail();
  write.reason = detail != nullptr ? detail->reason : std::string();
  if (write.reason.empty()) {
    write.reason = code_name(static_cast<std::int32_t>(response.status.code()));
  }
  write.message = response.status.message();
  return write;
}

void AwaitedRequest::show(const ApiRequest* request) {
  std::string what = "several requests";
  if (request != nullptr) {
    const ResourcePath& path = request->path;
    what = std::string(verb_name(request->verb)) + " " + path.resource;
    if (!path.subresource.empty()) what += "/" + path.subresource;
    if (!path.name.empty()) what += " " + path.name;
  }
  work_->requests(std::move(what), clock_.now());
}

void name_object(Write& write, const ObjectRef& object) {
  if (!object) return;
  const Value metadata = object.root()["metadata"];
  if (write.object.name.empty()) write.object.name = metadata["name"].string();
  if (write.object.name.empty() && !metadata["generateName"].string().empty()) {
    write.object.name = std::string(metadata["generateName"].string()) + "*";
  }
  const Value owners = metadata["ownerReferences"];
  for (std::size_t i = 0; const Value owner = owners.at(i); ++i) {
    if (owner["controller"].boolean() != true) continue;
    write.owner_kind = owner["kind"].string();
    write.owner_name = owner["name"].string();
    return;
  }
}

}  // namespace davit::host
