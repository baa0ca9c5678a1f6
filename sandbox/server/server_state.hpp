/// What the parts of an ApiServer share. Internal to sandbox/server.
#pragma once

#include <memory>

#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/server/api_server.hpp"
#include "sandbox/server/definitions.hpp"
#include "sandbox/server/documents.hpp"

namespace davit::sandbox {

/// Fixed after construction but for what synchronises itself.
struct ApiServer::State {
  State(ApiServerParts given, ApiServerOptions chosen, std::unique_ptr<ObjectLookup> objects,
        std::unique_ptr<Admission> chain)
      : outer(std::move(given)),
        options(std::move(chosen)),
        lookup(std::move(objects)),
        admission(std::move(chain)),
        resources(served_at_first()),
        definitions(outer.store, outer.clock, outer.random, resources, *admission),
        documents(options.advertise_address + ':' + std::to_string(options.advertise_port)),
        rest{outer.store, outer.clock, outer.random, resources, *admission, definitions} {}

  const ApiServerParts outer;
  const ApiServerOptions options;
  const std::unique_ptr<ObjectLookup> lookup;
  const std::unique_ptr<Admission> admission;
  Resources resources;
  Definitions definitions;
  Documents documents;
  const RestParts rest;
};

}  // namespace davit::sandbox
