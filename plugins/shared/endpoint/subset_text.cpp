// Subsets as the text that upstream hashes (pkg/util/hash.DeepHashObject's spew form).
#include "plugins/shared/endpoint/subset.hpp"

namespace davit::endpoint {

namespace {

constexpr const char* kNil = "<nil>";

std::string fields_of(const EndpointPort& port) {
  return "{Name:(string)" + port.name + " Port:(int32)" + std::to_string(port.port) +
         " Protocol:(v1.Protocol)" + port.protocol + " AppProtocol:(*string)" +
         port.app_protocol.value_or(kNil) + "}";
}

std::string fields_of(const ObjectReference& target) {
  return "{Kind:(string)" + target.kind + " Namespace:(string)" + target.ns + " Name:(string)" +
         target.name + " UID:(types.UID)" + target.uid + " APIVersion:(string)" +
         target.api_version + " ResourceVersion:(string)" + target.resource_version +
         " FieldPath:(string)" + target.field_path + "}";
}

std::string fields_of(const EndpointAddress& address) {
  return "{IP:(string)" + address.ip + " Hostname:(string)" + address.hostname +
         " NodeName:(*string)" + address.node_name.value_or(kNil) +
         " TargetRef:(*v1.ObjectReference)" + (address.target ? fields_of(*address.target) : kNil) +
         "}";
}

template <typename T>
std::string list_of(const std::vector<T>& list) {
  if (list.empty()) return kNil;
  std::string out = "[";
  for (const T& each : list) {
    if (out.size() != 1) out += ' ';
    out += fields_of(each);
  }
  return out + "]";
}

}  // namespace

std::string dump_text(const EndpointPort& port) { return "(v1.EndpointPort)" + fields_of(port); }

std::string dump_text(const EndpointSubset& subset) {
  return "(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)" + list_of(subset.ready) +
         " NotReadyAddresses:([]v1.EndpointAddress)" + list_of(subset.not_ready) +
         " Ports:([]v1.EndpointPort)" + list_of(subset.ports) + "}";
}

}  // namespace davit::endpoint
