/// Views of the objects that the plugin reads.
#pragma once

#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/kube/metadata.hpp>
#include <set>
#include <string>
#include <string_view>

namespace davit::certificates {

inline constexpr std::string_view kGroup = "certificates.k8s.io";

/// One series for the queues of the signers and of the approver, as upstream (A4).
inline constexpr std::string_view kQueueName = "certificate";
inline constexpr std::chrono::milliseconds kFirstBackoff{200};

inline constexpr std::string_view kApproved = "Approved";
inline constexpr std::string_view kDenied = "Denied";
inline constexpr std::string_view kFailed = "Failed";

class SigningRequest : public ObjectView {
 public:
  static constexpr Resource kResource = {kGroup, "v1", "certificatesigningrequests",
                                         "CertificateSigningRequest"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view signer() const { return spec()["signerName"].string(); }
  /// The PKCS#10 request: base64 of PEM.
  [[nodiscard]] std::string_view request() const { return spec()["request"].string(); }
  /// The usages as a set: neither order nor duplicates matter, but see A6.3.
  [[nodiscard]] std::set<std::string_view> usages() const {
    std::set<std::string_view> out;
    for (const Value each : spec()["usages"].elements()) out.insert(each.string());
    return out;
  }
  /// Base64 of PEM; empty: it is not issued.
  [[nodiscard]] std::string_view certificate() const { return status()["certificate"].string(); }
  [[nodiscard]] Value conditions() const { return status()[&Names::conditions]; }
  /// Whether there is a condition of this type, with any status.
  [[nodiscard]] bool has_condition(std::string_view type) const {
    for (const Value each : conditions().elements()) {
      if (each["type"].string() == type) return true;
    }
    return false;
  }
};

/// A condition that a controller adds; its status is True.
struct NewCondition {
  std::string_view type;
  std::string_view reason;
  std::string_view message;
  std::string_view time;  ///< lastUpdateTime, as it is written.
};

/// The merge patch that appends a condition. The server refuses it with 409 if the object has
/// changed, or is another one of that name.
[[nodiscard]] inline std::string condition_patch(const SigningRequest& request,
                                                 const NewCondition& added) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", request.uid());
  out.member("resourceVersion", request.resource_version()).end_object();
  out.key("status").begin_object().key("conditions").begin_array();
  for (const Value each : request.conditions().elements()) out.value(each);
  out.begin_object().member("type", added.type).member("status", "True");
  out.member("reason", added.reason).member("message", added.message);
  out.member("lastUpdateTime", added.time).end_object();
  out.end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::certificates
