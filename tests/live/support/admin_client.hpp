/// An administrator's API client for the test program itself, without the weight of a kubectl.
#pragma once

#include <memory>
#include <string>

namespace davit::host {
class RestClient;
}

namespace davit::live {

/// Without a rate limit. Thread-safe.
class AdminClient {
 public:
  /// Ends the program when the kubeconfig cannot be used.
  explicit AdminClient(const std::string& kubeconfig);
  ~AdminClient();

  [[nodiscard]] host::RestClient& client() const;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace davit::live
