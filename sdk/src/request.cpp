#include <davit/percent_escape.hpp>
#include <davit/request.hpp>

namespace davit {
namespace {

Request of(std::int32_t verb, const Resource& resource, const Key& key) {
  Request request;
  request.verb = verb;
  request.resource = resource;
  request.ns = key.ns;
  request.name = key.name;
  return request;
}

Request write(Request request, std::string body, const WriteOptions& options) {
  request.body = std::move(body);
  request.subresource = options.subresource;
  request.answer = options.answer;
  request.query = options.query;
  request.field_manager = options.field_manager;
  request.force = options.force;
  request.priority = options.priority;
  return request;
}

}  // namespace

Request Request::get(const Resource& resource, const Key& key, Answer answer) {
  Request request = of(DAVIT_GET, resource, key);
  request.answer = answer;
  return request;
}

Request Request::list(const Resource& resource, std::string_view ns, const ListOptions& options) {
  Request request = of(DAVIT_LIST, resource, {std::string(ns), {}});
  const auto add = [&request](const char* name, std::string_view value) {
    if (value.empty()) return;
    if (!request.query.empty()) request.query += '&';
    request.query += name + percent_escaped(value);
  };
  add("labelSelector=", options.label_selector);
  add("fieldSelector=", options.field_selector);
  request.answer = options.answer;
  request.limit = options.limit;
  request.continue_token = options.continue_token;
  request.priority = options.priority;
  return request;
}

Request Request::create(const Resource& resource, std::string_view ns, std::string body,
                        const WriteOptions& options) {
  return write(of(DAVIT_CREATE, resource, {std::string(ns), {}}), std::move(body), options);
}

Request Request::update(const Resource& resource, const Key& key, std::string body,
                        const WriteOptions& options) {
  return write(of(DAVIT_UPDATE, resource, key), std::move(body), options);
}

Request Request::patch(const Resource& resource, const Key& key, PatchType type, std::string body,
                       const WriteOptions& options) {
  Request request = write(of(DAVIT_PATCH, resource, key), std::move(body), options);
  request.patch_type = type;
  return request;
}

Request Request::remove(const Resource& resource, const Key& key, DeleteOptions options) {
  Request request = of(DAVIT_DELETE, resource, key);
  request.answer = Answer::kMetadata;
  request.deletion = std::move(options);
  return request;
}

Request Request::remove_collection(const Resource& resource, std::string_view ns,
                                   DeleteOptions options, std::string_view query) {
  Request request = of(DAVIT_DELETE_COLLECTION, resource, {std::string(ns), {}});
  request.answer = Answer::kMetadata;
  request.deletion = std::move(options);
  request.query = query;
  return request;
}

}  // namespace davit
