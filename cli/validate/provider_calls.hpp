/// Calls the functions of a cloud provider as the loops do. Internal to cli/validate.
#pragma once

#include <davit/cloud.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/validate/check_functions.hpp"
#include "host/object/object.hpp"
#include "host/plugin/controller_host.hpp"

namespace davit::host {

/// The response of a provider after the host has checked it.
struct ProviderReply {
  Status status;
  bool exists = false;
  bool elsewhere = false;
  Duration retry_after{};
  std::optional<std::string> text{};  ///< The JSON that it wrote, if any.

  /// Whether the call succeeded for something that belongs to this provider.
  [[nodiscard]] bool is_own() const { return status.ok() && !elsewhere; }
};

/// Calls the provider of a host, each call on a new thread. Reports calls that throw, give invalid
/// data, or do not end after they were cancelled.
class ProviderCalls {
 public:
  /// The arguments must outlive this; `provider` serves in `host`.
  ProviderCalls(TrialHost& host, ControllerHost& provider, const CheckReporter& reporter);

  [[nodiscard]] std::uint32_t parts() const { return offer_.parts; }
  /// Parses an object as a loop has it. kInvalid: the text is not an object.
  [[nodiscard]] Result<ObjectRef> object(std::string_view json) const;

  using Nodes = std::vector<ObjectRef>;
  [[nodiscard]] ProviderReply get(const ObjectRef& service);
  [[nodiscard]] ProviderReply ensure(const ObjectRef& service, const Nodes& nodes);
  [[nodiscard]] ProviderReply update(const ObjectRef& service, const Nodes& nodes);
  [[nodiscard]] ProviderReply remove(const ObjectRef& service);
  [[nodiscard]] ProviderReply exists(const ObjectRef& node);
  [[nodiscard]] ProviderReply shutdown(const ObjectRef& node);
  [[nodiscard]] ProviderReply metadata(const ObjectRef& node);
  [[nodiscard]] ProviderReply list_routes();
  [[nodiscard]] ProviderReply create_route(std::string_view name_hint, std::string_view route);
  [[nodiscard]] ProviderReply remove_route(std::string_view route);

  /// Cancels the next call before it begins. It must end, with any result.
  void cancel_next() { cancels_ = true; }

 private:
  using Function =
      std::function<davit_code(const davit_call*, davit_cloud_answer*, const davit_sink*)>;
  /// Repeats a call that asks for it with `retry_after`, a few times.
  [[nodiscard]] ProviderReply call(std::string_view name, const Function& function);
  [[nodiscard]] ProviderReply call_once(std::string_view name, const Function& function);
  [[nodiscard]] ProviderReply run(const Function& function, std::stop_token stop) const;
  void judge(std::string_view name, const ProviderReply& reply) const;

  TrialHost& host_;
  const CheckReporter& reporter_;
  const davit_cloud_v1& table_;
  const std::unique_ptr<ControllerHost> caller_;  // Stands in for a loop.
  davit_cloud_offer offer_{};
  bool cancels_ = false;
};

}  // namespace davit::host
