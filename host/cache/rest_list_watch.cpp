#include "host/cache/rest_list_watch.hpp"

#include <utility>

namespace davit::host {

Status RestListWatch::stream(const Selection& what, const ReflectorRequest& request,
                             std::stop_token stop, const ChunkSink& sink) {
  ApiRequest api;
  api.verb = request.kind == ReflectorRequest::Kind::kList ? Verb::kList : Verb::kWatch;
  api.path.group = what.resource.group;
  api.path.version = what.resource.version;
  api.path.resource = what.resource.resource;
  api.query = query_of(request, what.label_selector, what.field_selector);
  return client_.stream(api, std::move(stop), sink);
}

}  // namespace davit::host
