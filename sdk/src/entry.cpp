#include <algorithm>
#include <cstring>
#include <davit/cloud.hpp>
#include <davit/entry.hpp>
#include <davit/json_writer.hpp>
#include <davit/trampoline.hpp>
#include <string>

namespace davit::detail {
namespace {

/// A controller with all that belongs to it; davit_controller.self points here. The order of the
/// members is the order of their making: the controller goes first.
class Instance {
 public:
  explicit Instance(const davit_context& raw) : context_(raw) {}

  static void destroy(void* self, const davit_call* call) noexcept {
    const CallScope scope(call);
    delete static_cast<Instance*>(self);
  }

  static const void* capability(void* self, const davit_call*, davit_str id) noexcept {
    static constexpr davit_health_v1 kHealth = {sizeof(davit_health_v1), 0, &Instance::check};
    static constexpr davit_debug_v1 kDebug = {sizeof(davit_debug_v1), 0, &Instance::serve};
    static constexpr davit_configurable_v1 kConfigurable = {sizeof(davit_configurable_v1), 0,
                                                            &Instance::configure};
    if (from_c(id) == "davit.health/1") return &kHealth;
    if (from_c(id) == "davit.configurable/1") return &kConfigurable;
    if (from_c(id) == "davit.debug/1") return &kDebug;
    const auto& instance = *static_cast<Instance*>(self);
    if (from_c(id) == "davit.state/1" && instance.state_ != nullptr) return &instance.c_state_;
    if (from_c(id) == "davit.cloud-provider/1" && instance.provides()) return &instance.c_provider_;
    return nullptr;
  }

  /// Ok and a controller, ok and none (skipped), or an error.
  Status start(InitResult (*make)(const void*, Context&), const void* self) {
    if (!context_.status().ok()) return context_.status();
    InitResult made = make(self, context_);
    if (!made) return made.error();
    controller_ = std::move(*made);
    if (controller_ == nullptr) return Status();
    if (auto* const provider = dynamic_cast<CloudProvider*>(controller_.get())) {
      read_parts(*provider);
    }
    state_ = controller_->state();
    if (state_ != nullptr) {
      c_state_ = {sizeof(davit_state_v1), state_->version(),    state_->oldest(), 0,
                  &Instance::write_state, &Instance::read_state};
    }
    return context_.status();
  }
  [[nodiscard]] bool has_controller() const { return controller_ != nullptr; }
  [[nodiscard]] const Api& api() const { return context_.api(); }

 private:
  static davit_code check(void* self, const davit_call* call, const davit_sink* why) noexcept {
    const auto& instance = *static_cast<Instance*>(self);
    return guarded(instance.api(), call,
                   [&] { return explained(*why, std::as_const(*instance.controller_).health()); });
  }
  static davit_code serve(void* self, const davit_call* call, davit_str path, davit_str query,
                          const davit_page* page) noexcept {
    const auto& instance = *static_cast<Instance*>(self);
    return guarded(instance.api(), call, [&]() -> Status {
      const Controller& controller = *instance.controller_;
      const Result<DebugPage> made = controller.debug(from_c(path), from_c(query));
      if (!made) return explained(*page->body, made.error());
      if (page->head(page->self, made->http_status, to_c(made->content_type)) != DAVIT_OK) {
        return {Code::kInvalid, "the page has no status or content type that can be sent"};
      }
      return written(*page->body, made->body);
    });
  }
  static davit_code configure(void* self, const davit_call* call, davit_value config) noexcept {
    const auto& instance = *static_cast<Instance*>(self);
    return guarded(instance.api(), call,
                   [&] { return instance.controller_->configure(Value(&instance.api(), config)); });
  }
  static davit_code write_state(void* self, const davit_call* call,
                                const davit_sink* out) noexcept {
    const auto& instance = *static_cast<Instance*>(self);
    return guarded(instance.api(), call, [&] {
      JsonWriter json;
      std::as_const(*instance.state_).write(json);
      return written(*out, json.text());
    });
  }
  static davit_code read_state(void* self, const davit_call* call, std::uint32_t version,
                               davit_str text) noexcept {
    const auto& instance = *static_cast<Instance*>(self);
    return guarded(instance.api(), call, [&] {
      const Result<Value> state = parse_json(instance.api(), from_c(text));
      return state ? instance.state_->read(version, *state) : state.error();
    });
  }
  void read_parts(CloudProvider& provider) {
    static constexpr davit_load_balancers kLoadBalancers = {sizeof(davit_load_balancers),
                                                            0,
                                                            &Instance::lb_get,
                                                            &Instance::lb_ensure,
                                                            &Instance::lb_update,
                                                            &Instance::lb_remove};
    static constexpr davit_instances kInstances = {sizeof(davit_instances), 0, &Instance::exists,
                                                   &Instance::shutdown, &Instance::metadata};
    static constexpr davit_routes kRoutes = {sizeof(davit_routes), 0, &Instance::list_routes,
                                             &Instance::create_route, &Instance::remove_route};
    load_balancers_ = provider.load_balancers();
    instances_ = provider.instances();
    routes_ = provider.routes();
    const LoadBalancerClasses classes = provider.classes();
    classes_ = classes.text();
    c_provider_ = {sizeof(davit_cloud_provider_v1),
                   0,
                   load_balancers_ == nullptr ? nullptr : &kLoadBalancers,
                   instances_ == nullptr ? nullptr : &kInstances,
                   routes_ == nullptr ? nullptr : &kRoutes,
                   to_c(classes_),
                   classes.takes_unclassed ? 0 : 1,
                   0};
  }
  [[nodiscard]] bool provides() const {
    return load_balancers_ != nullptr || instances_ != nullptr || routes_ != nullptr;
  }
  static davit_code lb_get(void* self, const davit_call* call, davit_str cluster,
                           davit_value service, davit_cloud_answer* answer,
                           const davit_sink* status) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_get({me.api(), call, answer, status}, *me.load_balancers_, {cluster, service});
  }
  static davit_code lb_ensure(void* self, const davit_call* call, davit_str cluster,
                              davit_value service, const davit_list* nodes,
                              davit_cloud_answer* answer, const davit_sink* status) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_ensure({me.api(), call, answer, status}, *me.load_balancers_, {cluster, service},
                          nodes);
  }
  static davit_code lb_update(void* self, const davit_call* call, davit_str cluster,
                              davit_value service, const davit_list* nodes,
                              davit_cloud_answer* answer) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_update({me.api(), call, answer}, *me.load_balancers_, {cluster, service}, nodes);
  }
  static davit_code lb_remove(void* self, const davit_call* call, davit_str cluster,
                              davit_value service, davit_cloud_answer* answer) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_remove({me.api(), call, answer}, *me.load_balancers_, {cluster, service});
  }
  static davit_code exists(void* self, const davit_call* call, davit_value node,
                           davit_cloud_answer* answer) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_exists({me.api(), call, answer}, *me.instances_, node);
  }
  static davit_code shutdown(void* self, const davit_call* call, davit_value node,
                             davit_cloud_answer* answer) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_shutdown({me.api(), call, answer}, *me.instances_, node);
  }
  static davit_code metadata(void* self, const davit_call* call, davit_value node,
                             davit_cloud_answer* answer, const davit_sink* out) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_metadata({me.api(), call, answer, out}, *me.instances_, node);
  }
  static davit_code list_routes(void* self, const davit_call* call, davit_str cluster,
                                davit_cloud_answer* answer, const davit_sink* out) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_list({me.api(), call, answer, out}, *me.routes_, cluster);
  }
  static davit_code create_route(void* self, const davit_call* call, davit_str cluster,
                                 davit_str name_hint, davit_str route,
                                 davit_cloud_answer* answer) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_create({me.api(), call, answer}, *me.routes_, {cluster, name_hint, route});
  }
  static davit_code remove_route(void* self, const davit_call* call, davit_str cluster,
                                 davit_str route, davit_cloud_answer* answer) noexcept {
    const auto& me = *static_cast<Instance*>(self);
    return provide_remove({me.api(), call, answer}, *me.routes_, {cluster, {}, route});
  }
  /// The status, after its message was written.
  static Status explained(const davit_sink& sink, const Status& status) {
    if (!status.ok()) static_cast<void>(written(sink, status.message()));
    return status;
  }
  static Status written(const davit_sink& sink, std::string_view text) {
    const davit_code code = sink.write(sink.self, to_c(text));
    return code == DAVIT_OK ? Status() : Status(from_c(code), "the host takes no more text");
  }

  Context context_;
  std::unique_ptr<Controller> controller_;
  HandedState* state_ = nullptr;  // The controller's, if it has any.
  davit_state_v1 c_state_{};
  // The controller's parts of a cloud, if it provides them.
  LoadBalancers* load_balancers_ = nullptr;
  Instances* instances_ = nullptr;
  Routes* routes_ = nullptr;
  std::string classes_;  // c_provider_ borrows it.
  davit_cloud_provider_v1 c_provider_{};
};

/// The context of the InitFunc that this thread is in; null outside.
constinit thread_local const davit_context* opening = nullptr;

}  // namespace

std::int32_t start(const davit_call* call, const davit_context& raw,
                   InitResult (*make)(const void* self, Context& context), const void* self,
                   davit_controller& out) noexcept {
  const CallScope scope(call);  // Opening and destroying are part of the call.
  opening = &raw;
  std::unique_ptr<Instance> instance;
  const auto make_instance = [&]() -> Status {
    instance = std::make_unique<Instance>(raw);
    return instance->start(make, self);
  };
  const davit_code made_code = guarded_init(raw, call, Body(make_instance));
  opening = nullptr;
  if (made_code != DAVIT_OK) return DAVIT_FAILED;
  if (!instance->has_controller()) return DAVIT_SKIPPED;
  davit_controller made = {std::min(out.size, std::uint32_t{sizeof(davit_controller)}), 0,
                           instance.release(), &Instance::destroy, &Instance::capability};
  std::memcpy(&out, &made, made.size);  // An older host knows less of it.
  return DAVIT_STARTED;
}

const void* opening_capability(const Context& context, std::string_view id) {
  if (opening == nullptr) return nullptr;
  return opening->capability(context.api().call(), to_c(id));
}

std::int32_t init(const Row* rows, std::size_t count, const davit_call* call,
                  const davit_context& raw, davit_controller& out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].name == from_c(raw.controller)) return start(call, raw, rows[i].factory, out);
  }
  raw.error_text(call, to_c("the plugin has no such controller"));
  return DAVIT_FAILED;
}

}  // namespace davit::detail
