/// The entry point of a plugin: its note and its InitFunc table, in one macro.
///
///     DAVIT_PLUGIN(R"({"name":"greeter","version":"0.1.0","abi":"1.0",…})",
///                  {"greeter-controller", &davit::make<GreeterController>});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/json_writer.hpp>
#include <davit/trampoline.hpp>
#include <memory>
#include <string_view>
#include <utility>

namespace davit {

/// Makes a controller; what it opens through the context belongs to that controller.
using Factory = InitResult (*)(Context&);

/// The factory of a controller with a constructor from Context&.
template <typename Type>
[[nodiscard]] InitResult make(Context& context) {
  return std::unique_ptr<Controller>(std::make_unique<Type>(context));
}

/// One row of the table.
struct Row {
  std::string_view name;  ///< The name in the note.
  Factory factory;
};

namespace detail {

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
    if (from_c(id) == "davit.health/1") return &kHealth;
    if (from_c(id) == "davit.debug/1") return &kDebug;
    const auto& instance = *static_cast<Instance*>(self);
    if (from_c(id) == "davit.state/1" && instance.state_ != nullptr) return &instance.c_state_;
    return nullptr;
  }

  /// Ok and a controller, ok and none (skipped), or an error.
  template <typename Make>
  Status start(const Make& factory) {
    if (!context_.status().ok()) return context_.status();
    InitResult made = factory(context_);
    if (!made) return made.error();
    controller_ = std::move(*made);
    if (controller_ == nullptr) return Status();
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
    return answer(self, call, *why, [](const Controller& controller) -> Result<std::string> {
      const Status status = controller.health();
      if (!status.ok()) return status;
      return std::string();
    });
  }
  static davit_code serve(void* self, const davit_call* call, davit_str path, davit_str query,
                          const davit_sink* body) noexcept {
    return answer(self, call, *body, [&](const Controller& controller) {
      return controller.debug(from_c(path), from_c(query));
    });
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
  /// Writes the text that `ask` returns, or its error's.
  template <typename Ask>
  static davit_code answer(void* self, const davit_call* call, const davit_sink& sink,
                           const Ask& ask) noexcept {
    auto& instance = *static_cast<Instance*>(self);
    return guarded(instance.api(), call, [&] {
      const Result<std::string> text = ask(std::as_const(*instance.controller_));
      const Status status = text.error();
      const Status sent = written(sink, text ? *text : status.message());
      return status.ok() ? sent : status;
    });
  }
  static Status written(const davit_sink& sink, std::string_view text) {
    const davit_code code = sink.write(sink.self, to_c(text));
    return code == DAVIT_OK ? Status() : Status(from_c(code), "the host takes no more text");
  }

  Context context_;
  std::unique_ptr<Controller> controller_;
  HandedState* state_ = nullptr;  // The controller's, if it has any.
  davit_state_v1 c_state_{};
};

/// Makes a controller with everything that belongs to it; returns an InitFunc's result. `factory`
/// is called like a Factory.
template <typename Make>
std::int32_t start(const davit_call* call, const davit_context& raw, const Make& factory,
                   davit_controller& out) noexcept {
  const CallScope scope(call);  // Opening and destroying are part of the call.
  auto instance = std::make_unique<Instance>(raw);
  const davit_code code = guarded(instance->api(), call, [&] { return instance->start(factory); });
  if (code != DAVIT_OK) return DAVIT_FAILED;
  if (!instance->has_controller()) return DAVIT_SKIPPED;
  out = davit_controller{sizeof(davit_controller), 0, instance.release(), &Instance::destroy,
                         &Instance::capability};
  return DAVIT_STARTED;
}

/// The InitFunc behind every row: the context says which one is meant.
template <const auto& kRows>
std::int32_t init(const davit_call* call, const davit_context* raw,
                  davit_controller* out) noexcept {
  for (const Row& row : kRows) {
    if (row.name == from_c(raw->controller)) return start(call, *raw, row.factory, *out);
  }
  raw->error_text(call, to_c("the plugin has no such controller"));
  return DAVIT_FAILED;
}

template <const auto& kRows>
constexpr auto make_c_rows() {
  std::array<davit_row, std::size(kRows)> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = davit_row{to_c(kRows[i].name), &init<kRows>};
  }
  return out;
}

template <const auto& kRows>
inline constexpr auto kCRows = make_c_rows<kRows>();

template <const auto& kRows>
inline constexpr davit_plugin kPlugin = {sizeof(davit_plugin), sizeof(davit_row),
                                         kCRows<kRows>.data(), kCRows<kRows>.size()};

}  // namespace detail
}  // namespace davit

/// DAVIT_PLUGIN(note, {name, factory}, …) at global scope, once in a plugin. `note` is one string
/// literal of JSON text, described in abi.h; each row needs an entry in its `controllers`.
#define DAVIT_PLUGIN(note, ...)                                \
  DAVIT_NOTE(note);                                            \
  static constexpr ::davit::Row davit_rows_[] = {__VA_ARGS__}; \
  extern "C" const davit_plugin* davit_plugin_v1(void) {       \
    return &::davit::detail::kPlugin<davit_rows_>;             \
  }                                                            \
  static_assert(true, "ends the macro with a semicolon")
