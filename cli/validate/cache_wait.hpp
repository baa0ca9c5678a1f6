/// Waits for the caches of a trial host. Internal to cli/validate.
#pragma once

#include <vector>

#include "host/cache/informer.hpp"
#include "lib/base/clock.hpp"
#include "sandbox/server/api_server.hpp"
#include "sandbox/store/store.hpp"

namespace davit::host {

/// Waits until each cache that is filled has seen what its selectors show it of the changes in the
/// store so far, so that what they mean to the controllers waits in their queues. False when
/// `give_up` comes first.
[[nodiscard]] bool await_caches(const std::vector<Informer*>& informers,
                                const sandbox::ApiServer& server, const sandbox::Store& store,
                                Clock& clock, Time give_up);

}  // namespace davit::host
