#include "host/cache/rest_list_watch.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "host/api/expected_kind.hpp"

namespace davit::host {

namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf,";
constexpr std::string_view kProtobufMetadata =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,";
constexpr std::string_view kProtobufMetadataList =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,";

/// The forms that the server may choose from, the best first.
std::string accept_of(const Selection& what, const ReflectorRequest& request) {
  const bool is_list = request.kind == ReflectorRequest::Kind::kList;
  std::string_view json = "application/json";
  std::string_view protobuf = kProtobuf;
  if (what.form == ObjectForm::kMetadata) {
    json = is_list ? kAcceptMetadataList : kAcceptMetadata;
    protobuf = is_list ? kProtobufMetadataList : kProtobufMetadata;
  }
  if (request.format == WireFormat::kJson) return std::string(json);
  return std::string(protobuf).append(json);
}

}  // namespace

ApiRequest to_api_request(const Selection& what, const ReflectorRequest& request) {
  ApiRequest api;
  api.verb = request.kind == ReflectorRequest::Kind::kList ? Verb::kList : Verb::kWatch;
  api.path.group = what.resource.group;
  api.path.version = what.resource.version;
  api.path.resource = what.resource.resource;
  api.path.ns = what.ns;
  api.accept = accept_of(what, request);
  api.query = query_of(request, what.label_selector, what.field_selector);
  return api;
}

Status RestListWatch::stream(const Selection& what, const ReflectorRequest& request,
                             std::stop_token stop, const ChunkSink& sink) {
  return client_.stream(to_api_request(what, request), std::move(stop), sink);
}

std::shared_ptr<const ApiCatalog> RestListWatch::catalog(const ResourceId& resource,
                                                         std::stop_token stop) {
  return needs_catalog(resource) ? host::known_catalog(*discovery_, std::move(stop)) : nullptr;
}

std::unique_ptr<DrivenStream> RestListWatch::open(const Selection& what,
                                                  const ReflectorRequest& request,
                                                  std::stop_token stop, LoopPlace place,
                                                  ChunkSink sink) {
  return client_.open(to_api_request(what, request), std::move(stop), place, std::move(sink));
}

bool RestListWatch::is_ready(const ResourceId& resource) {
  return !needs_catalog(resource) || !discovery_->known().is_doubted;
}

Status RestListWatch::prepare(const std::stop_token& stop) {
  if (!client_.is_ready()) {
    if (Status s = client_.prepare(); !s.ok()) return s;
  }
  if (discovery_ != nullptr) static_cast<void>(host::known_catalog(*discovery_, stop));
  return {};
}

std::shared_ptr<const ApiCatalog> RestListWatch::known_catalog(const ResourceId& resource) {
  return needs_catalog(resource) ? discovery_->known().catalog : nullptr;
}

bool RestListWatch::needs_catalog(const ResourceId& resource) const {
  return discovery_ != nullptr && !is_built_in_group(resource.group);
}

void RestListWatch::doubt_catalog() {
  if (discovery_ != nullptr) discovery_->doubt();
}

}  // namespace davit::host
