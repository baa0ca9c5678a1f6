/// Batches of requests through a table of the host. Internal to the SDK.
#pragma once

#include <davit/abi.h>

#include <vector>

namespace davit::detail {

/// Sends all through `batch`, which is called as davit_client_v1.batch and davit_http_v1.batch are.
/// The n-th response belongs to the n-th request.
template <typename Response, typename Request, typename Batch>
std::vector<Response> send_batch(const std::vector<Request>& requests, const Batch& batch) {
  Response empty{};
  empty.size = sizeof(empty);
  empty.code = DAVIT_CANCELLED;  // Holds for a request that the host did not reach.
  std::vector<Response> responses(requests.size(), empty);
  static_cast<void>(
      batch(requests.data(), sizeof(Request), responses.data(), sizeof(Response), requests.size()));
  return responses;
}

}  // namespace davit::detail
