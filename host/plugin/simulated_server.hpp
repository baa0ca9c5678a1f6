/// The server that the writes of a shadow meet.
#pragma once

#include <string>

#include "host/api/api_request.hpp"
#include "host/object/object.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// The object of a write, as the caches of a controller show it.
struct CacheView {
  /// kSees: an informer of the whole collection would have the object.
  enum class Cache { kBlind, kSees };
  Cache cache = Cache::kBlind;
  ObjectRef object{};  ///< Null: no cache has it.
};

/// The response that the server would send to a write, as far as the caches tell: nothing is
/// written. `name` is the object's, empty if the server makes it; `body` is that of a create, null
/// if it is not an object. Draws from `random` for names and UIDs only. Thread-safe.
[[nodiscard]] ApiResponse simulate(const ApiRequest& request, const std::string& name,
                                   const ObjectRef& body, const CacheView& view, Random& random);

}  // namespace davit::host
