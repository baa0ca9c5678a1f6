#include "sandbox/output/output.hpp"
#include "sandbox/output/yaml_text.hpp"

namespace davit::sandbox {

std::string encode_body(const Json& body, const OutputForm& form) {
  if (form.media == Media::kYaml) return to_yaml_text(body);
  std::string out = form.pretty ? to_pretty_text(body) : to_text(body);
  out += '\n';
  return out;
}

}  // namespace davit::sandbox
