/// The Events that a kubelet records for containers that it starts.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/pod_life.hpp"

namespace davit::sandbox {

/// Whether simulated kubelets post Events. Many pods at once make three Events for each container.
enum class PodEventSwitch : std::uint8_t { kOn, kOff };

/// Posts the Events Pulled, Created and Started of each container in the form of a kubelet of
/// v1.36. A restart counts up the Events of the first start. Belongs to one thread.
class PodEvents {
 public:
  /// Both are borrowed.
  PodEvents(ApiCalls& api, Clock& clock, PodEventSwitch on) : api_(api), clock_(clock), on_(on) {}

  /// `pod` went from one stage of its life to another.
  void report(const Json& pod, const PodLife& before, const PodLife& after);

 private:
  /// A container's position in its pod, and the number of its starts.
  struct Started {
    const char* list;  ///< "containers"
    const Json& container;
    std::int64_t times;
  };

  void report_start(const Json& pod, const Started& started);

  ApiCalls& api_;
  Clock& clock_;
  const PodEventSwitch on_;
};

}  // namespace davit::sandbox
