/// Any bytes behind the envelope's prefix are either refused or become an object; that object
/// conforms or is refused, and a conformed one conforms again without a change.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "lib/kube/schema/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace davit;
  const std::string body =
      std::string("k8s\0", 4) + std::string(reinterpret_cast<const char*>(data), size);
  davit::Result<Json> object = decode_protobuf(body, "Pod");
  if (!object) return 0;
  const Message* type = find_schema(object->text_at({"apiVersion"}), object->text_at({"kind"}));
  DAVIT_ASSERT(type != nullptr);
  FieldFindings findings;
  if (!conform(*type, *object, findings).ok()) return 0;
  DAVIT_ASSERT(findings.unknown.empty());
  const std::string text = to_text(*object);
  DAVIT_ASSERT(conform(*type, *object, findings).ok());
  DAVIT_ASSERT(to_text(*object) == text);
  return 0;
}
