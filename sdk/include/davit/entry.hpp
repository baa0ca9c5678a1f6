/// The entry point of a plugin: its note and its InitFunc table, both made from one declaration.
///
///     constexpr void declare(Note& note) {
///       note.plugin("greeter", "0.1.0")
///           .controller({.name = "greeter-controller", .factory = &make<GreeterController>})
///           .rule<Pod>({"patch"})
///           .watch<Pod>({"metadata.labels", "metadata.annotations"});
///     }
///     DAVIT_PLUGIN(declare);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/note.hpp>
#include <memory>
#include <string_view>

namespace davit {

/// The factory of a controller with a constructor from Context&.
template <typename Type>
[[nodiscard]] InitResult make(Context& context) {
  return std::unique_ptr<Controller>(std::make_unique<Type>(context));
}

namespace detail {

/// Creates the controller of an InitFunc and everything that belongs to it; `make` is called like a
/// Factory, with `self`.
std::int32_t start(const davit_call* call, const davit_context& raw,
                   InitResult (*make)(const void* self, Context& context), const void* self,
                   davit_controller& out) noexcept;
template <typename Make>
std::int32_t start(const davit_call* call, const davit_context& raw, const Make& factory,
                   davit_controller& out) noexcept {
  return start(
      call, raw,
      [](const void* self, Context& context) -> InitResult {
        return (*static_cast<const Make*>(self))(context);
      },
      &factory, out);
}

/// The InitFunc of every row; the context names the row.
std::int32_t init(const Row* rows, std::size_t count, const davit_call* call,
                  const davit_context& raw, davit_controller& out) noexcept;
template <Declare kDeclare>
std::int32_t init(const davit_call* call, const davit_context* raw,
                  davit_controller* out) noexcept {
  constexpr const auto& kRows = kDeclaredNote<kDeclare>.rows;
  return init(kRows.data(), kRows.size(), call, *raw, *out);
}

template <Declare kDeclare>
consteval auto c_rows() {
  constexpr const auto& kRows = kDeclaredNote<kDeclare>.rows;
  std::array<davit_row, kRows.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = davit_row{to_c(kRows[i].name), &init<kDeclare>};
  }
  return out;
}

template <Declare kDeclare>
inline constexpr auto kCRows = c_rows<kDeclare>();

template <Declare kDeclare>
inline constexpr davit_plugin kPlugin = {sizeof(davit_plugin), sizeof(davit_row),
                                         kCRows<kDeclare>.data(), kCRows<kDeclare>.size()};

}  // namespace detail
}  // namespace davit

/// Use DAVIT_PLUGIN(declare) once in a plugin, at global scope. It defines the note and the table
/// that the function `constexpr void declare(davit::Note&)` declares.
#define DAVIT_PLUGIN(declare)                                                                    \
  [[gnu::used, gnu::section(DAVIT_NOTE_SECTION),                                                 \
    gnu::aligned(4)]] static constexpr auto davit_note_ = ::davit::detail::elf_note<&declare>(); \
  extern "C" const davit_plugin* davit_plugin_v1(void) {                                         \
    return &::davit::detail::kPlugin<&declare>;                                                  \
  }                                                                                              \
  static_assert(true, "ends the macro with a semicolon")
