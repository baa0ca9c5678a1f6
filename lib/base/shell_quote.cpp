#include "lib/base/shell_quote.hpp"

namespace davit {

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char each : text) {
    if (each == '\'') {
      out += R"('\'')";
    } else {
      out += each;
    }
  }
  return out + "'";
}

}  // namespace davit
