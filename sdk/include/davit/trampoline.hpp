/// Runs a controller's code for the host: what controllers throw must not cross the C boundary.
#pragma once

#include <davit/api.hpp>
#include <string_view>

namespace davit::detail {

/// The body of a callback without its type, so that the code that catches is compiled once.
/// Borrows the callable.
class Body {
 public:
  template <typename Callable>
  explicit Body(const Callable& callable)
      : callable_(&callable),
        run_([](const void* self) -> Status { return (*static_cast<const Callable*>(self))(); }) {}

  Status operator()() const { return run_(callable_); }

 private:
  const void* callable_;
  Status (*run_)(const void*);
};

/// Runs `body`, a callable that returns Status, as the call, and passes its error to the host. The
/// host logs it with the controller and the key, except the error of a probe, which is its result.
/// An exception in a probe is a mistake, so it is logged here.
davit_code guarded_body(const Api& api, const davit_call* call, const Body& body) noexcept;
/// The same for an InitFunc, which has no Api yet if `body` fails early.
davit_code guarded_init(const davit_context& context, const davit_call* call,
                        const Body& body) noexcept;
template <typename Callable>
davit_code guarded(const Api& api, const davit_call* call, const Callable& body) noexcept {
  return guarded_body(api, call, Body(body));
}

/// The same for a handler, which has no result: an error becomes a log line, to which the host adds
/// the controller. `object` is the one that changed.
void guarded_handler_body(const Api& api, const davit_call* call, std::string_view where,
                          davit_value object, const Body& body) noexcept;
template <typename Callable>
void guarded_handler(const Api& api, const davit_call* call, std::string_view where,
                     davit_value object, const Callable& body) noexcept {
  const auto counted = [&body]() -> Status {
    body();
    return {};
  };
  guarded_handler_body(api, call, where, object, Body(counted));
}

/// The exception that a callback throws inside a function of the host, kept until that function has
/// returned.
class Thrown {
 public:
  /// `body` returns a davit_code; DAVIT_INTERNAL if it throws.
  template <typename Callable>
  davit_code keep(const Callable& body) noexcept {
    return keep(&body, [](const void* self) { return (*static_cast<const Callable*>(self))(); });
  }
  void rethrow() const;

 private:
  davit_code keep(const void* body, davit_code (*run)(const void* body)) noexcept;

  std::exception_ptr kept_;
};

}  // namespace davit::detail
