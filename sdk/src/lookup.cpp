#include <davit/lookup.hpp>

namespace davit::detail {

Status refused_read(const Api& api, davit_code code, std::string_view what) {
  std::string text = "the host refused to read " + std::string(what);
  if (const Status why = api.failure(); to_c(why.code()) == code && !why.message().empty()) {
    text += ": " + why.message();
  }
  return Status(from_c(code), std::move(text));
}

}  // namespace davit::detail
