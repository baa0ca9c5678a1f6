#include "sandbox/rest/verbs.hpp"

#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

void take_warnings(std::vector<std::string>& from, std::vector<std::string>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

ApiFailure check_name(const Json& object, const std::string& name) {
  const std::string& given = object.text_at({"metadata", "name"});
  if (given.empty()) {
    return bad_request("the name of the object (" + name +
                       " based on URL) was undeterminable: name must be provided");
  }
  if (given == name) return std::nullopt;
  return bad_request("the name of the object (" + given + ") does not match the name on the URL (" +
                     name + ')');
}

ApiFailure check_uid(const Json& object, const Json& old, const Resource& resource) {
  const std::string& given = object.text_at({"metadata", "uid"});
  const std::string& there = old.text_at({"metadata", "uid"});
  if (given.empty() || given == there) return std::nullopt;
  return conflict(
      Subject::resource(resource, object.text_at({"metadata", "name"})),
      "Precondition failed: UID in precondition: " + given + ", UID in object meta: " + there);
}

ApiResult<HttpServerResponse> post_object(const RestParts& parts, Call& call) {
  const ApiResult<WriteOptions> options = parse_write_options(call.url.query, WriteKind::kCreate);
  if (!options) return options.error();
  ApiResult<Decoded> decoded =
      decode_body(call.request, BodyType::of(*call.resource), options->validation);
  if (!decoded) return decoded.error();
  take_warnings(decoded->warnings, call.warnings);
  const ApiResult<Written> written = create_object(parts, target_of(parts, call, *options),
                                                   std::move(decoded->object), call.warnings);
  if (!written) return written.error();
  return written_response(parts, call, *written);
}

ApiResult<HttpServerResponse> put_object(const RestParts& parts, Call& call) {
  const ApiResult<WriteOptions> options = parse_write_options(call.url.query, WriteKind::kUpdate);
  if (!options) return options.error();
  ApiResult<Decoded> decoded =
      decode_body(call.request, BodyType::of(*call.resource), options->validation);
  if (!decoded) return decoded.error();
  take_warnings(decoded->warnings, call.warnings);
  const Json& body = decoded->object;
  if (ApiFailure failure = check_name(body, call.url.name)) return *failure;
  const bool creates = call.resource->create_on_update && call.url.subresource.empty();
  const ApiResult<Written> written = rewrite_object(
      parts, target_of(parts, call, *options), creates ? Missing::kCreate : Missing::kNotFound,
      [&](const Json& old) -> ApiResult<Json> {
        if (ApiFailure failure = check_uid(body, old, *call.resource)) return *failure;
        return body;
      },
      call.warnings);
  if (!written) return written.error();
  return written_response(parts, call, *written);
}

}  // namespace davit::sandbox
