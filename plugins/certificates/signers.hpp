/// The signers of the signing controller. Rule: docs/spec/certificates.md, A1.
#pragma once

#include <string_view>

namespace davit::certificates {

/// One of them; all texts live as long as the program.
struct Signer {
  /// The check of a request (A6).
  enum class Check { kKubeletServing, kKubeletClient, kClient, kNone };

  std::string_view name;                ///< As spec.signerName has it.
  std::string_view certificate_option;  ///< The files of its own CA.
  std::string_view key_option;
  std::string_view flag;  ///< Names it in messages about its files.
  Check check;
};

inline constexpr std::string_view kKubeletClientSigner =
    "kubernetes.io/kube-apiserver-client-kubelet";

/// In upstream's order. The messages name some after other flags than theirs, as upstream's do.
inline constexpr Signer kSigners[] = {
    {"kubernetes.io/kubelet-serving", "kubeletServingCertFile", "kubeletServingKeyFile",
     "cluster-signing-kubelet-serving", Signer::Check::kKubeletServing},
    {kKubeletClientSigner, "kubeletClientCertFile", "kubeletClientKeyFile",
     "cluster-signing-kube-apiserver-client", Signer::Check::kKubeletClient},
    {"kubernetes.io/kube-apiserver-client", "kubeAPIServerClientCertFile",
     "kubeAPIServerClientKeyFile", "cluster-signing-kube-apiserver", Signer::Check::kClient},
    {"kubernetes.io/legacy-unknown", "legacyUnknownCertFile", "legacyUnknownKeyFile",
     "cluster-signing-legacy-unknown", Signer::Check::kNone},
};

}  // namespace davit::certificates
