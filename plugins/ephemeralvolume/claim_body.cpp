#include "plugins/ephemeralvolume/claim_body.hpp"

#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/shared/volumes/pod_claims.hpp"

namespace davit::ephemeralvolume {

std::string claim_body(const Pod& pod, Value volume) {
  const Value claim_template = volume["ephemeral"]["volumeClaimTemplate"];
  const Value metadata = claim_template[&Names::metadata];
  JsonWriter out;
  out.begin_object().member("apiVersion", "v1").member("kind", "PersistentVolumeClaim");
  out.key("metadata").begin_object();
  out.member("name", volumes::ephemeral_claim_name(pod, volume));
  out.key("ownerReferences").begin_array();
  owner_identity(pod).write_controller_reference(out);
  out.end_array();
  out.member("annotations", metadata[&Names::annotations]);
  out.member("labels", metadata[&Names::labels]);
  out.end_object().member("spec", claim_template[&Names::spec]).end_object();
  return std::move(out).text();
}

}  // namespace davit::ephemeralvolume
