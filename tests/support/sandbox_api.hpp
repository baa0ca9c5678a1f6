/// The sandbox in its library form as the api_checks see a server: no socket, a clock moved by
/// hand.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sandbox/kinds/kind_gates.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::test {

/// A fresh API server with RBAC, anonymous access, and the static tokens admin-token (group
/// system:masters) and alice-token.
class SandboxApi final : public checks::Server {
 public:
  explicit SandboxApi(const sandbox::KindGates& gates = {});
  ~SandboxApi() override;

  [[nodiscard]] checks::Reply send(const std::string& method, const std::string& target,
                                   const checks::Headers& headers,
                                   const std::string& body) override;
  [[nodiscard]] checks::Watched watch(const std::string& target, const checks::Headers& headers,
                                      const std::function<void()>& then, std::size_t events,
                                      bool ends, std::chrono::seconds within) override;
  void forget_history() override;
  void pass_time() override;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace davit::test
