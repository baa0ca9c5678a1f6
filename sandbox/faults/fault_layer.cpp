#include "sandbox/faults/fault_layer.hpp"

#include <algorithm>

#include "lib/base/lower_case.hpp"
#include "sandbox/faults/fault_responses.hpp"
#include "sandbox/faults/fault_stream.hpp"
#include "sandbox/faults/stale_read.hpp"

namespace davit::sandbox {

namespace {

/// `kFaultsPath` itself or something below it.
bool is_api(std::string_view path) {
  return path.starts_with(kFaultsPath) &&
         (path.size() == kFaultsPath.size() || path[kFaultsPath.size()] == '/');
}

void reset(Response& response) {
  response.stream.reset();
  response.deferred.reset();
  response.fault.reset = true;
  response.fault.cut_after = 0;
}

/// Applies the faults that hit any response on its way out.
void spoil(Response& response, const RequestFaults& faults) {
  if (const FaultHit* delay = faults.find(FaultKind::kDelay)) {
    response.fault.delay += delay->rule->delay;
  }
  if (const FaultHit* slow = faults.find(FaultKind::kSlow)) {
    response.fault.bytes_per_second = slow->rule->bytes_per_second;
  }
  const FaultHit* cut = faults.find(FaultKind::kCut);
  if (cut != nullptr && response.stream == nullptr) {
    response.fault.cut_after = cut->rule->after_bytes;
  }
  if (faults.find(FaultKind::kLost) != nullptr) reset(response);
}

}  // namespace

Response FaultLayer::handle(const Request& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  if (is_api(path)) return serve_api(request, path);
  const ApiResult<Url> url = parse_url(request.target);
  if (!url) return parts_.inner.handle(request);
  Asked who = asked(request, *url);
  const RequestFaults faults = board_.on_request(who);
  Response response = respond(request, who, faults);
  spoil(response, faults);
  return response.stream == nullptr ? std::move(response)
                                    : watched(std::move(response), std::move(who), faults);
}

Asked FaultLayer::asked(const Request& request, const Url& url) const {
  Asked out;
  out.verb = url.is_resource ? std::string(to_text(verb_of(request.method, url)))
                             : host::lower_case(request.method);
  out.group = url.group;
  out.resource = url.resource;
  out.subresource = url.subresource;
  out.ns = url.ns;
  out.name = url.name;
  out.user_agent = request.header("User-Agent");
  if (parts_.authenticator != nullptr && board_.asks_for_user()) {
    if (const auto who = parts_.authenticator->authenticate(request)) out.user = who->user;
  }
  return out;
}

Response FaultLayer::respond(const Request& request, const Asked& asked,
                             const RequestFaults& faults) {
  if (faults.find(FaultKind::kReset) != nullptr) {
    Response response;
    reset(response);
    return response;
  }
  const FaultHit* status = faults.find(FaultKind::kStatus);
  // An open watch hears of 410 in an event.
  if (status != nullptr && (status->rule->code != 410 || asked.verb != "watch")) {
    return to_response(fault_status(*status->rule, asked));
  }
  if (const FaultHit* stale = faults.find(FaultKind::kStale)) {
    const Revision current = parts_.store.revision();
    const Revision back = stale->rule->revisions_back.value_or(current - stale->revision);
    const Revision at = std::max<Revision>(current - std::min(current, back), 1);
    if (const auto question = stale_question(request, asked, at)) {
      Response list = parts_.inner.handle(*question);
      // History that is gone shows nothing earlier; the latest state is as good a response then.
      if (list.status == 200) return stale_response(std::move(list), asked);
    }
  }
  return parts_.inner.handle(request);
}

Response FaultLayer::watched(Response response, Asked asked, const RequestFaults& faults) {
  const auto framing = response.content_type.ends_with("protobuf;stream=watch")
                           ? FaultStream::Framing::kProtobuf
                           : FaultStream::Framing::kLines;
  const FaultBoard::WatchId watch = board_.open_watch(std::move(asked), faults);
  response.stream = std::make_unique<FaultStream>(
      FaultStream::Parts{board_, watch, std::move(response.stream), std::move(response.body),
                         gone_event(parts_.store.revision(), framing), framing});
  response.body.clear();
  return response;
}

}  // namespace davit::sandbox
