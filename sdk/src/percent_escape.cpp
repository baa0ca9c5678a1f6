#include <davit/percent_code.hpp>
#include <davit/percent_escape.hpp>

namespace davit {

std::string percent_escaped(std::string_view text) { return percent_escaped(text, "-._~"); }

}  // namespace davit
