/// An administrator's API client for the test program itself, without the weight of a kubectl.
#pragma once

#include <davit/result.hpp>
#include <initializer_list>
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

  /// Whether a GET of each path succeeds within five seconds. Not without a usable kubeconfig.
  [[nodiscard]] static bool is_served(const std::string& kubeconfig,
                                      std::initializer_list<const char*> paths);

 private:
  struct Parts;
  [[nodiscard]] static Result<std::unique_ptr<Parts>> connect(const std::string& kubeconfig);

  std::unique_ptr<Parts> parts_;
};

}  // namespace davit::live
