/// A controller as its plugin made it: the calls from the host into the plugin.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/health/debug_response.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/run/breadcrumb.hpp"

namespace davit::host {

enum class InitOutcome { kStarted, kSkipped, kFailed };
struct InitResult {
  InitOutcome outcome = InitOutcome::kFailed;
  std::string reason;
};

/// A davit_init_fn, or a closure in its place.
using InitFunction =
    std::function<std::int32_t(const davit_call*, const davit_context*, davit_controller*)>;

/// The forms of state ("davit.state/1") that a build writes and reads.
struct StateForms {
  std::uint32_t writes = 0;
  std::uint32_t oldest = 0;  ///< Reads those from here to the one it writes.

  [[nodiscard]] bool reads(std::uint32_t form) const { return form >= oldest && form <= writes; }
};

/// Each call runs in a CallFrame and a Breadcrumb, and exceptions of the plugin end here. Without
/// the optional table that a call needs, the plugin is not called.
class PluginController {
 public:
  /// `host` is what the plugin gets; it outlives this.
  explicit PluginController(ControllerAbi& host) : host_(host) {}
  PluginController(const PluginController&) = delete;
  PluginController& operator=(const PluginController&) = delete;

  /// Calls the plugin's InitFunc. Once.
  InitResult init(const InitFunction& function);
  /// Calls destroy() of a controller that was started. Once.
  void destroy();

  /// Calls the handler of an informer.
  void handle(const OpenedInformer& informer, const Change& change);

  /// Calls on_closed() of an informer.
  void close(const DynamicInformer& informer);

  /// The controller's own opinion.
  [[nodiscard]] Status health() const;
  [[nodiscard]] bool has_debug_page() const;
  [[nodiscard]] Result<DebugResponse> debug_page(std::string_view path,
                                                 std::string_view query) const;
  /// Gives it another configuration; its refusal. kUnsupported: it takes none while it runs, or not
  /// this one. Not beside init(), destroy(), the state functions, or itself.
  [[nodiscard]] Status configure(const ObjectRef& config) const;

  /// The controller's side as a provider of a cloud; no value if it does not provide.
  [[nodiscard]] std::optional<davit_cloud_provider_v1> cloud_provider() const;
  struct Provided {
    Status status;
    bool has_thrown = false;
  };
  /// Calls a function of that side, whose name is `activity`. Any thread, several at once.
  [[nodiscard]] Provided provide(
      std::string_view activity, CallDetails details,
      const std::function<davit_code(void* self, const davit_call* call)>& function) const;

  /// The state formats in the controller's table; nothing: it hands over no state.
  [[nodiscard]] std::optional<StateForms> state_forms() const;
  /// The state for another build of the controller. Only when it is drained and its handlers are
  /// held, as for read_state(). kInvalid: the state is too large; other codes are the controller's.
  [[nodiscard]] Result<std::string> write_state() const;
  /// Hands it what another build wrote; its refusal.
  [[nodiscard]] Status read_state(std::uint32_t form, std::string_view state) const;

 private:
  [[nodiscard]] CallDetails handler_details(davit_handle informer) const;
  [[nodiscard]] Breadcrumb breadcrumb(std::string_view activity) const;
  /// `Table` of an optional side, with members that the plugin does not know taken as zero.
  template <typename Table>
  [[nodiscard]] std::optional<Table> side(const CallFrame& frame, std::string_view id) const;
  /// The state side, if it is complete.
  [[nodiscard]] std::optional<davit_state_v1> state_side(const CallFrame& frame) const;

  ControllerAbi& host_;
  davit_context context_{};
  davit_controller controller_{};
  bool created_ = false;  // init() answered STARTED: controller_ counts.
};

}  // namespace davit::host
