#include "plugins/shared/volumes/volume_source.hpp"

#include "plugins/shared/volumes/migrated_plugins.hpp"

namespace davit::volumes {
namespace {

constexpr std::string_view kCsi = "kubernetes.io/csi/";
constexpr std::string_view kIscsi = "kubernetes.io/iscsi/";
constexpr std::string_view kFc = "kubernetes.io/fc/";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";

/// Facts of the object that a source stands in.
struct Holder {
  std::string_view name;  // The PersistentVolume, or the pod's volume.
  std::string_view ns;    // The claim's or the pod's.
  std::string_view zone = {};
  std::string_view region = {};
};

std::string text(Value value) { return std::string(value.string()); }

/// Nothing: an id of an unknown form.
std::optional<std::string> aws_handle(Value source) {
  const std::string_view id = source["volumeID"].string();
  if (!id.starts_with("aws://")) return std::string(id);
  const std::string_view last = id.substr(id.rfind('/') + 1);
  const bool is_known = last.starts_with("vol-") && last.size() > 4;
  return is_known ? std::optional(std::string(last)) : std::nullopt;
}

std::string gce_handle(Value source, const Holder& holder) {
  std::string place = "zones/UNSPECIFIED";
  if (holder.zone.find("__") != std::string_view::npos) {
    place = "regions/" + std::string(holder.region);
  } else if (!holder.zone.empty()) {
    place = "zones/" + std::string(holder.zone);
  }
  return "projects/UNSPECIFIED/" + place + "/disks/" + text(source["pdName"]);
}

std::string azure_file_handle(Value source, const Holder& holder) {
  constexpr std::string_view kPrefix = "azure-storage-account-";
  constexpr std::string_view kSuffix = "-secret";
  std::string_view account = source["secretName"].string();
  if (account.size() > kPrefix.size() + kSuffix.size() && account.starts_with(kPrefix) &&
      account.ends_with(kSuffix)) {
    account.remove_prefix(kPrefix.size());
    account.remove_suffix(kSuffix.size());
  }
  const std::string_view ns = source["secretNamespace"].string();
  return "#" + std::string(account) + "#" + text(source["shareName"]) + "#" +
         std::string(holder.name) + "#" + std::string(ns.empty() ? holder.ns : ns);
}

std::optional<std::string> translated_handle(std::string_view member, Value source,
                                             const Holder& holder) {
  if (member == "awsElasticBlockStore") return aws_handle(source);
  if (member == "gcePersistentDisk") return gce_handle(source, holder);
  if (member == "azureDisk") return text(source["diskURI"]);
  if (member == "azureFile") return azure_file_handle(source, holder);
  if (member == "vsphereVolume") return text(source["volumePath"]);
  return text(source["volumeID"]);  // cinder, portworxVolume
}

std::string csi_name(const Source& source) {
  return std::string(kCsi) + source.driver + "^" + source.handle;
}

std::string fc_name(Value fc) {
  const Value ports = fc["targetWWNs"];
  const bool has_ports = ports.elements().begin() != ports.elements().end();
  std::string out(kFc);
  out += '[';
  bool is_first = true;
  for (const Value each : (has_ports ? ports : fc["wwids"]).elements()) {
    if (!is_first) out += ' ';
    out += each.string();
    is_first = false;
  }
  out += ']';
  return has_ports ? out + ":" + std::to_string(fc["lun"].integer_or(0)) : out;
}

/// `spec`: of a PersistentVolume, or an entry of a pod's volumes.
std::optional<Source> resolve(Value spec, const Holder& holder) {
  Source out;
  out.title = holder.name;
  if (const Value iscsi = spec["iscsi"]) {
    out.name = std::string(kIscsi) + text(iscsi["targetPortal"]) + ":" + text(iscsi["iqn"]) + ":" +
               std::to_string(iscsi["lun"].integer_or(0));
    return out;
  }
  if (const Value fc = spec["fc"]) {
    out.name = fc_name(fc);
    return out;
  }
  const MigratedPlugin* plugin = migrated_source(spec);
  if (plugin == nullptr) return std::nullopt;
  const std::optional<std::string> handle =
      translated_handle(plugin->source, spec[plugin->source], holder);
  if (!handle) return std::nullopt;
  out.driver = plugin->driver;
  out.handle = *handle;
  out.is_translated = true;
  out.name = csi_name(out);
  return out;
}

std::optional<Source> resolve_csi(Value csi, std::string_view title) {
  Source out;
  out.driver = text(csi["driver"]);
  out.handle = text(csi["volumeHandle"]);
  if (out.driver.empty() || out.handle.empty()) return std::nullopt;
  out.title = title;
  out.name = csi_name(out);
  return out;
}

}  // namespace

std::optional<Source> source_of_volume(const Volume& volume) {
  const Value spec = volume.spec();
  const Value csi = spec["csi"];
  std::optional<Source> out = csi ? resolve_csi(csi, volume.name())
                                  : resolve(spec, {.name = volume.name(),
                                                   .ns = volume.claim_ref()[&Names::ns].string(),
                                                   .zone = volume.label(kZone).value_or(""),
                                                   .region = volume.label(kRegion).value_or("")});
  if (out) out->persistent_volume = volume.name();
  return out;
}

std::optional<Source> source_of_inline(Value volume, std::string_view ns) {
  return resolve(volume, {.name = volume[&Names::name].string(), .ns = ns});
}

std::optional<Source> source_of_csi(Value csi, std::string_view title) {
  return resolve_csi(csi, title);
}

Source source_from_name(std::string_view name) {
  Source out;
  out.name = name;
  out.title = name;
  out.allows_many_nodes = true;
  if (!name.starts_with(kCsi)) return out;
  const std::string_view rest = name.substr(kCsi.size());
  const std::size_t cut = rest.find('^');
  if (cut == std::string_view::npos) return out;
  out.driver = rest.substr(0, cut);
  out.handle = rest.substr(cut + 1);
  return out;
}

std::string plugin_of(const Source& source) {
  if (!source.driver.empty()) return "kubernetes.io/csi:" + source.driver;
  return source.name.starts_with(kFc) ? "kubernetes.io/fc" : "kubernetes.io/iscsi";
}

}  // namespace davit::volumes
