#include "plugins/statefulset/pod_state.hpp"

#include "plugins/statefulset/identity.hpp"
#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {

PodState pod_state(const Pod& pod, std::chrono::seconds min_ready, WallTime now) {
  return {.ordinal = parse_pod_name(pod.name()).ordinal,
          .phase = pod.phase(),
          .terminating = pod.is_being_deleted(),
          .ready = pod.is_ready(),
          .available = pod.is_available(min_ready, now),
          .revision = pod.label(kRevisionLabel).value_or("")};
}

}  // namespace davit::statefulset
