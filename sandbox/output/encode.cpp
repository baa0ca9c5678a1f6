#include "lib/kube/yaml_text.hpp"
#include "sandbox/output/output.hpp"

namespace davit::sandbox {

EncodedBody encode_body(const Json& body, const OutputForm& form) {
  if (form.media == Media::kYaml) return {"application/yaml", to_yaml_text(body)};
  if (form.media == Media::kProtobuf) {
    if (std::optional<std::string> bytes = encode_protobuf(body)) {
      return {"application/vnd.kubernetes.protobuf", *std::move(bytes)};
    }
  }
  return {"application/json", (form.pretty ? to_pretty_text(body) : to_text(body)) + '\n'};
}

std::string watch_content_type(const OutputForm& form) {
  return form.media == Media::kProtobuf ? "application/vnd.kubernetes.protobuf;stream=watch"
                                        : "application/json";
}

}  // namespace davit::sandbox
