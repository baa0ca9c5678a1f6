/// Whose certificates the HTTPS server believes: authorities of clients, and proxies that name the
/// user in headers.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/config/serving_settings.hpp"
#include "lib/base/mutex.hpp"
#include "lib/kube/user_info.hpp"
#include "lib/net/certificate_pool.hpp"
#include "lib/net/http_message.hpp"

namespace davit {
class Json;
}

namespace davit::host {

/// The ConfigMap in which an API server says whom it trusts.
inline constexpr const char* kTrustNamespace = "kube-system";
inline constexpr const char* kTrustConfigMap = "extension-apiserver-authentication";

/// Immutable.
struct ClientTrust {
  /// A proxy that has authenticated the user itself
  /// (k8s.io/apiserver/pkg/authentication/request/headerrequest).
  struct Proxies {
    std::shared_ptr<const CertificatePool> authorities;  ///< Null: there are none.
    std::vector<std::string> allowed_names = {};         ///< Common names; empty: any.
    std::vector<std::string> username_headers = {};
    std::vector<std::string> uid_headers = {};
    std::vector<std::string> group_headers = {};
    std::vector<std::string> extra_header_prefixes = {};
  };

  std::shared_ptr<const CertificatePool> authorities;  ///< Those of clients; null: none.
  Proxies proxies;
};

/// The identity that a request shows, before the API server is asked.
struct ShownCredentials {
  enum class Kind {
    kUser,       ///< `user`, without the group of authenticated users.
    kToken,      ///< `token` has to be reviewed.
    kAnonymous,  ///< There are none.
    kRefused,    ///< A certificate that no authority vouches for.
  };

  Kind kind = Kind::kAnonymous;
  UserInfo user = {};
  std::string token = {};
  std::optional<WallTime> certificate_expires = {};  ///< Set for a trusted certificate.
};

/// Reads the credentials in the order of upstream's authenticators: proxy's headers, certificate,
/// token (k8s.io/apiserver/pkg/authentication/authenticatorfactory). Pure.
[[nodiscard]] ShownCredentials read_credentials(const HttpServerRequest& request,
                                                const ClientTrust& trust, WallTime now);

/// The present ClientTrust: what the settings name, and for the rest what the ConfigMap says.
/// Thread-safe.
class TrustSource {
 public:
  /// kInvalid when a file of the settings cannot be read or has no certificate.
  [[nodiscard]] static Result<std::unique_ptr<TrustSource>> open(
      const AuthenticationSettings& settings);
  explicit TrustSource(AuthenticationSettings settings) : settings_(std::move(settings)) {}
  TrustSource(const TrustSource&) = delete;
  TrustSource& operator=(const TrustSource&) = delete;

  [[nodiscard]] std::shared_ptr<const ClientTrust> current() const EXCLUDES(mutex_);

  /// Takes over the ConfigMap; `data` is its member of that name. kInvalid when a part of it cannot
  /// be read: that part stays as it was.
  Status apply(const Json& data) EXCLUDES(mutex_);
  /// Reads the files of the settings again, which keep their content if they cannot be used.
  Status reread() EXCLUDES(mutex_);

 private:
  const AuthenticationSettings settings_;
  mutable Mutex mutex_;
  std::shared_ptr<const ClientTrust> current_ GUARDED_BY(mutex_) =
      std::make_shared<const ClientTrust>();
};

}  // namespace davit::host
