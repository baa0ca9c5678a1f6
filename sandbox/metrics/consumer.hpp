/// Simulated pods take load as those of the image resource-consumer do, through the proxy of a pod
/// or of a Service (k8s: test/images/resource-consumer).
#pragma once

#include "sandbox/metrics/metrics_api.hpp"

namespace davit::sandbox {

/// POST .../pods|services/NAME/proxy/ConsumeCPU, ConsumeMem, BumpMetric or GetCurrentStatus, with
/// the arguments in the query or, as a form, in the body. The Ready pods of a Service share the
/// load. 404 for a missing object, 503 for a Service without Ready pods.
[[nodiscard]] ApiResult<HttpServerResponse> serve_consumer(const MetricParts& parts,
                                                           const Call& call);

}  // namespace davit::sandbox
