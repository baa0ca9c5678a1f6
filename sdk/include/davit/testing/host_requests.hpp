/// davit_client_v1 of the in-memory cluster.
#pragma once

#include <algorithm>
#include <davit/testing/state.hpp>
#include <optional>
#include <string>
#include <utility>

namespace davit::testing::detail {

/// How the in-memory host carries out requests.
struct HostRequests {
  static davit_code call(davit_host* raw, const davit_request* request, davit_response* response) {
    HostState& host = HostState::of(raw);
    if (host.caller != Caller::kSync) return misuse(host, "a request outside sync and timers");
    return answer(host, from_raw(*request), *response);
  }

  static davit_code batch(davit_host* raw, const davit_request* requests, std::size_t request_size,
                          davit_response* responses, std::size_t response_size, std::size_t count) {
    HostState& host = HostState::of(raw);
    if (host.caller != Caller::kSync) return misuse(host, "a batch outside sync and timers");
    if (request_size != sizeof(davit_request) || response_size != sizeof(davit_response)) {
      return misuse(host, "a batch of another ABI");
    }
    davit_code worst = DAVIT_OK;
    for (std::size_t i = 0; i < count; ++i) {
      const davit_code code = answer(host, from_raw(requests[i]), responses[i]);
      if (worst == DAVIT_OK) worst = code;
    }
    return worst;
  }

  static davit_code resource_exists(davit_host* raw, davit_str group, davit_str version,
                                    davit_str resource) {
    const ClusterState& cluster = HostState::of(raw).cluster;
    if (cluster.missing_resources.contains(std::string(from_c(resource)))) return DAVIT_NOT_FOUND;
    const Resource wanted{from_c(group), from_c(version), from_c(resource), {}};
    return cluster.server.serves(wanted) ? DAVIT_OK : DAVIT_NOT_FOUND;
  }

  static davit_code misuse(HostState& host, const std::string& what) {
    host.cluster.violations.push_back(host.name + ": " + what);
    return DAVIT_MISUSE;
  }

 private:
  static Request from_raw(const davit_request& raw) {
    Request request;
    request.verb = raw.verb;
    request.resource = {from_c(raw.group), from_c(raw.version), from_c(raw.resource), {}};
    request.subresource = from_c(raw.subresource);
    request.ns = from_c(raw.ns);
    request.name = from_c(raw.name);
    request.body = from_c(raw.body);
    request.patch_type = static_cast<PatchType>(raw.patch_type);
    request.answer = static_cast<Answer>(raw.answer);
    request.query = from_c(raw.query);
    request.deletion.propagation = static_cast<Propagation>(raw.propagation);
    if (raw.has_grace_seconds != 0) request.deletion.grace_seconds = raw.grace_seconds;
    request.deletion.uid = from_c(raw.precondition_uid);
    request.deletion.resource_version = from_c(raw.precondition_resource_version);
    return request;
  }

  static davit_code answer(HostState& host, const Request& request, davit_response& response) {
    ClusterState& cluster = host.cluster;
    if (const std::string refused = check_declared(host, request); !refused.empty()) {
      host.refuse(refused);
      response.code = DAVIT_UNDECLARED;
      response.message = cluster.lend(refused);
      return DAVIT_UNDECLARED;
    }
    RequestRecord record{static_cast<Verb>(request.verb),
                         std::string(request.resource.resource),
                         request.subresource,
                         request.ns,
                         request.name,
                         request.body,
                         request.patch_type,
                         request.query,
                         0};
    if (cluster.on_request) cluster.on_request(record);
    ApiReply reply = serve(cluster, request);
    record.http_status = reply.http_status;
    if (record.verb == Verb::kCreate && reply.object) {
      record.name = reply.object->text_at({"metadata", "name"});
    }
    cluster.requests.push_back(std::move(record));
    if (reply.ok() && reply.version != 0) remember_write(host, request, reply.version);
    return fill(cluster, request, std::move(reply), response);
  }

  /// Why the note does not allow the request, and what it needs; empty when it does.
  static std::string check_declared(const HostState& host, const Request& request) {
    const Verb verb = static_cast<Verb>(request.verb);
    const Resource& resource = request.resource;
    const std::string what = std::string(verb_text(verb)) + " " +
                             qualified(resource.group, resource.resource) +
                             (request.subresource.empty() ? "" : "/" + request.subresource);
    if (!host.declaration.allows(verb, resource.group, resource.resource, request.subresource)) {
      const std::string part =
          request.subresource.empty() ? "" : "\"subresource\":\"" + request.subresource + "\",";
      return what + ": not in the declared rules; \"rules\" need {\"group\":\"" +
             std::string(resource.group) + "\",\"resource\":\"" + std::string(resource.resource) +
             "\"," + part + "\"verbs\":[\"" + std::string(verb_text(verb)) + "\"]}";
    }
    if (verb == Verb::kUpdate && host.declaration.is_projected(resource.group, resource.resource)) {
      return what + ": a PUT of a projected resource; patch it";
    }
    return "";
  }

  static ApiReply serve(ClusterState& cluster, const Request& request) {
    Fault* fault = find_fault(cluster, request);
    if (fault == nullptr) return cluster.server.handle(request);
    if (fault->times > 0) --fault->times;
    ApiReply reply =
        ApiReply::failure(fault->http_status, fault->reason, fault->message, fault->causes);
    if (fault->effect == Effect::kApplied) static_cast<void>(cluster.server.handle(request));
    return reply;
  }
  /// The fault that hits this request, if one does.
  static Fault* find_fault(ClusterState& cluster, const Request& request) {
    for (Fault& each : cluster.faults) {
      const bool matches = each.verb == static_cast<Verb>(request.verb) &&
                           (each.resource.empty() || each.resource == request.resource.resource) &&
                           (each.subresource.empty() || each.subresource == request.subresource) &&
                           (each.name.empty() || each.name == request.name);
      if (!matches || each.times == 0) continue;
      if (each.skip == 0) return &each;
      --each.skip;
    }
    return nullptr;
  }

  static void remember_write(HostState& host, const Request& request, std::int64_t version) {
    const std::string resource = qualified(request.resource.group, request.resource.resource);
    const bool watched =
        std::any_of(host.subscriptions.begin(), host.subscriptions.end(),
                    [&resource](const Subscription& each) { return each.resource == resource; });
    if (!watched) return;
    for (WorkQueue& queue : host.queues) queue.wait_for(resource, version);
  }

  static davit_code fill(ClusterState& cluster, const Request& request, ApiReply reply,
                         davit_response& response) {
    response.code = reply.code;
    response.http_status = reply.http_status;
    response.retry_after_ms = reply.retry_after_ms;
    response.reason = cluster.lend(reply.reason);
    response.message = cluster.lend(reply.message);
    std::string causes;
    for (const std::string& each : reply.causes) causes += (causes.empty() ? "" : ",") + each;
    response.causes = cluster.lend(std::move(causes));
    response.object = davit_value{};
    if (!reply.ok() || !reply.object || reply.object->text_at({"kind"}) == "Status") {
      return response.code;
    }
    Json object = std::move(*reply.object);
    if (request.answer == Answer::kMetadata) {
      for (const char* dropped : {"spec", "status", "data"}) object.erase(dropped);
    }
    response.object = cluster.lend(std::make_shared<Document>(cluster.space, std::move(object)),
                                   Projections::kFull);
    return response.code;
  }
};

}  // namespace davit::testing::detail
