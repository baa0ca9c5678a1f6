/// The objects of a very large cluster, written straight into the storage of a sandbox.
#pragma once

#include "sandbox/store/store.hpp"

namespace davit::bench {

/// The number of objects of each kind.
struct Size {
  int pods = 1'000'000;
  int nodes = 100'000;
  int services = 10'000;
  int backends = 20;  ///< Pods that each Service selects, the first `services` × `backends` pods.
};

/// Writes nodes in ten zones with their Leases, pods of about 2 KB that run and are ready, and
/// Services. Ends the program when the storage refuses one.
void fill(sandbox::Store& store, const Size& size);

/// Changes `count` pods from number `from` on: each becomes ready again at `minute`, which
/// differs from call to call.
void touch_pods(sandbox::Store& store, const Size& size, int from, int count, int minute);

/// The bytes of JSON of one pod as it is stored.
[[nodiscard]] std::size_t pod_bytes(const sandbox::Store& store);

/// The number of objects of a collection.
[[nodiscard]] std::size_t count(const sandbox::Store& store, const sandbox::Collection& collection);

}  // namespace davit::bench
