/// The capabilities of this host: the one list of them.
#pragma once

#include <davit/abi.h>
#include <davit/cloud.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace davit::host {

/// A capability id of abi.h with the type of its table.
template <typename Type>
struct Capability {
  using Table = Type;
  std::string_view id;
};
/// The capability that the plugin of a cloud's provider requires.
inline constexpr std::string_view kCloudHostId = "davit.cloud-host/1";
inline constexpr std::tuple kCapabilities = {Capability<davit_object_v1>{"davit.object/1"},
                                             Capability<davit_informer_v1>{"davit.informer/1"},
                                             Capability<davit_queue_v1>{"davit.queue/1"},
                                             Capability<davit_client_v1>{"davit.client/1"},
                                             Capability<davit_timer_v1>{"davit.timer/1"},
                                             Capability<davit_event_v1>{"davit.event/1"},
                                             Capability<davit_log_v1>{"davit.log/1"},
                                             Capability<davit_clock_v1>{"davit.clock/1"},
                                             Capability<davit_random_v1>{"davit.random/1"},
                                             Capability<davit_metric_v1>{"davit.metric/1"},
                                             Capability<davit_config_v1>{"davit.config/1"},
                                             Capability<davit_freshness_v1>{"davit.freshness/1"},
                                             Capability<davit_discovery_v1>{"davit.discovery/1"},
                                             Capability<davit_informer_v2>{"davit.informer/2"},
                                             Capability<davit_waker_v1>{"davit.waker/1"},
                                             Capability<davit_http_v1>{"davit.http/1"},
                                             Capability<davit_cloud_v1>{"davit.cloud/1"},
                                             Capability<davit_cloud_host_v1>{kCloudHostId}};

/// The ids, in the order of the list.
[[nodiscard]] inline std::vector<std::string> host_capabilities() {
  return std::apply(
      [](const auto&... each) { return std::vector<std::string>{std::string(each.id)...}; },
      kCapabilities);
}

}  // namespace davit::host
