#include "host/control/build_text.hpp"

#include "lib/base/json_text.hpp"

namespace davit::host {

std::string json_of(const BuildName& build) {
  return JsonText('{')
      .text("version", build.version)
      .text("digest", build.digest)
      .number("generation", build.generation)
      .str();
}

}  // namespace davit::host
