#include "host/cache/rest_list_watch.hpp"

#include <utility>

namespace davit::host {

ApiRequest to_api_request(const Selection& what, const ReflectorRequest& request) {
  ApiRequest api;
  api.verb = request.kind == ReflectorRequest::Kind::kList ? Verb::kList : Verb::kWatch;
  api.path.group = what.resource.group;
  api.path.version = what.resource.version;
  api.path.resource = what.resource.resource;
  api.path.ns = what.ns;
  if (what.form == ObjectForm::kMetadata) {
    api.accept = api.verb == Verb::kList ? kAcceptMetadataList : kAcceptMetadata;
  }
  api.query = query_of(request, what.label_selector, what.field_selector);
  return api;
}

Status RestListWatch::stream(const Selection& what, const ReflectorRequest& request,
                             std::stop_token stop, const ChunkSink& sink) {
  return client_.stream(to_api_request(what, request), std::move(stop), sink);
}

}  // namespace davit::host
