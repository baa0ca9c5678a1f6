/// Views of the objects that describe storage.
#pragma once

#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit::volumes {

/// PersistentVolumeClaim.
class Claim : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view phase() const { return status()[&Names::phase].string(); }
  /// The volume to which the claim is bound, or will be; empty: none.
  [[nodiscard]] std::string_view volume_name() const { return spec()["volumeName"].string(); }
};

/// PersistentVolume.
class Volume : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "persistentvolumes", "PersistentVolume"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view phase() const { return status()[&Names::phase].string(); }
  /// The claim to which the volume is bound, or for which it is reserved; absent: none.
  [[nodiscard]] Value claim_ref() const { return spec()["claimRef"]; }
};

/// StorageClass.
class StorageClass : public ObjectView {
 public:
  static constexpr Resource kResource{"storage.k8s.io", "v1", "storageclasses", "StorageClass"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view provisioner() const { return value()["provisioner"].string(); }
  /// "Immediate" or "WaitForFirstConsumer"; servers default to the former.
  [[nodiscard]] std::string_view binding_mode() const {
    return value()["volumeBindingMode"].string();
  }
};

/// VolumeAttributesClass. Servers before v1.34 have no v1.
class AttributesClass : public ObjectView {
 public:
  static constexpr Resource kResource{"storage.k8s.io", "v1", "volumeattributesclasses",
                                      "VolumeAttributesClass"};
  using ObjectView::ObjectView;
};

/// VolumeAttachment: the attachment of a volume to a node by a CSI driver.
class Attachment : public ObjectView {
 public:
  static constexpr Resource kResource{"storage.k8s.io", "v1", "volumeattachments",
                                      "VolumeAttachment"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view driver() const { return spec()["attacher"].string(); }
  [[nodiscard]] std::string_view node_name() const { return spec()[&Names::node_name].string(); }
  /// Empty: the volume is described inline.
  [[nodiscard]] std::string_view volume_name() const {
    return spec()["source"]["persistentVolumeName"].string();
  }
  [[nodiscard]] bool is_attached() const { return status()["attached"].is_true(); }
};

/// CSIDriver.
class CsiDriver : public ObjectView {
 public:
  static constexpr Resource kResource{"storage.k8s.io", "v1", "csidrivers", "CSIDriver"};
  using ObjectView::ObjectView;

  /// Whether its volumes must be attached before a node can mount them.
  [[nodiscard]] bool requires_attachment() const {
    return spec()["attachRequired"].boolean().value_or(true);
  }
};

}  // namespace davit::volumes
