#include "plugins/endpointslicemirroring/mirror_writer.hpp"

#include <string>

namespace davit::endpointslicemirroring {

Status MirrorWriter::write(const Endpoints& endpoints, const MirrorPlan& plan) {
  const Key key = endpoints.key();
  const std::string of = " EndpointSlice for Endpoints " + key.text();
  // The slices of an object that is being deleted go with it.
  const bool creates = !endpoints.is_being_deleted();
  for (const MirroredSlice& each : plan.create) {
    if (!creates) break;
    const Status created = send(Request::create<EndpointSlice>(key.ns, slice_body(each, endpoints),
                                                               {.answer = Answer::kMetadata}),
                                key);
    if (created.has_cause("NamespaceTerminating")) return {};
    if (!created.ok()) return created.with_context("failed to create" + of);
    metrics_.wrote("create");
  }
  for (const MirroredSlice& each : plan.update) {
    const Status updated =
        send(Request::update<EndpointSlice>({key.ns, each.name}, slice_body(each, endpoints),
                                            {.answer = Answer::kMetadata}),
             key);
    if (!updated.ok()) return updated.with_context("failed to update " + each.name + of);
    metrics_.wrote("update");
  }
  for (const EndpointSlice& each : plan.remove) {
    const Status removed = cluster_.client().remove<EndpointSlice>(each.key());
    if (!removed.ok()) {
      return removed.with_context("failed to delete " + std::string(each.name()) + of);
    }
    generations_.removed(key, each.uid());
    metrics_.wrote("delete");
  }
  return {};
}

Status MirrorWriter::clean_up(const Key& endpoints, std::span<const EndpointSlice> slices) {
  std::size_t failed = 0;
  Status first;
  for (const EndpointSlice& each : slices) {
    const Status removed = cluster_.client().remove<EndpointSlice>(each.key());
    if (removed.ok()) continue;
    if (first.ok()) first = removed;
    ++failed;
  }
  if (first.ok()) return {};
  return Status(first.code(), "error(s) deleting " + std::to_string(failed) + "/" +
                                  std::to_string(slices.size()) + " EndpointSlices for " +
                                  endpoints.text() + " Endpoints, including: " + first.message());
}

Status MirrorWriter::send(const Request& request, const Key& endpoints) {
  const Result<Value> response = cluster_.client().call(request);
  if (!response) return response.error();
  const EndpointSlice written(*response);
  generations_.wrote(endpoints, written.uid(), written.generation());
  return {};
}

}  // namespace davit::endpointslicemirroring
