#include "cli/serving_flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <davit/kube/signed_duration.hpp>
#include <filesystem>
#include <utility>

#include "lib/base/absolute_path.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// Declares flags that set a member of one section of the manifest. The last one of a name counts,
/// as with Go's flags.
template <typename Section>
class SectionFlags {
 public:
  SectionFlags(CLI::App& app, RunOptions& options, Section Manifest::*section)
      : app_(app), options_(options), section_(section) {}

  CLI::Option* text(const char* name, std::string Section::*member, const char* type,
                    const char* help) {
    return app_
        .add_option_function<std::string>(
            name, [this_ = *this, member](const std::string& value) { this_.set(member, value); },
            help)
        ->type_name(type)
        ->take_last();
  }
  void path(const char* name, std::string Section::*member, const char* type, const char* help) {
    app_.add_option_function<std::string>(
            name,
            [this_ = *this, member](const std::string& value) {
              this_.set(member, value.empty() ? value : absolute_path(value).string());
            },
            help)
        ->type_name(type)
        ->take_last();
  }
  void boolean(const char* name, bool Section::*member, const char* help) {
    app_.add_flag_function(
        name, [this_ = *this, member](std::int64_t count) { this_.set(member, count > 0); }, help);
  }
  void duration(const char* name, Duration Section::*member, const char* help) {
    app_.add_option_function<std::string>(
            name,
            [this_ = *this, member, name](const std::string& text) {
              const std::optional<Duration> value = parse_signed_duration(text);
              if (!value || *value < Duration::zero()) {
                throw CLI::ValidationError(
                    name, "must be a duration such as 10s or 1m30s, not " + json_string(text));
              }
              this_.set(member, *value);
            },
            help)
        ->type_name("DURATION")
        ->take_last();
  }
  /// Given several times, the lists are joined.
  void list(const char* name, std::vector<std::string> Section::*member, const char* type,
            const char* help) {
    app_.add_option_function<std::vector<std::string>>(
            name,
            [this_ = *this, member](std::vector<std::string> values) {
              std::erase(values, "");  // "--x=" is the empty list.
              this_.set(member, std::move(values));
            },
            help)
        ->delimiter(',')
        ->take_all()
        ->allow_extra_args(false)
        ->type_name(type);
  }
  template <typename T, typename Value>
  void set(T Section::*member, Value value) const {
    options_.changes.push_back([section = section_, member, value = std::move(value)](
                                   Manifest& manifest) { manifest.*section.*member = value; });
  }

 private:
  CLI::App& app_;
  RunOptions& options_;
  Section Manifest::*const section_;
};

void add_tls_flags(CLI::App& app, SectionFlags<ServingSettings>& flags) {
  flags.path("--cert-dir", &ServingSettings::certificate_directory, "DIRECTORY",
             "Keeps the self-signed pair davit.crt and davit.key that is used without "
             "--tls-cert-file (default: it is made anew at each start)");
  flags.path("--tls-cert-file", &ServingSettings::certificate_file, "FILE",
             "Certificate of the server with those of its authorities, in PEM; read again when it "
             "changes");
  flags.path("--tls-private-key-file", &ServingSettings::key_file, "FILE",
             "Key of --tls-cert-file, in PEM");
  flags.text("--tls-min-version", &ServingSettings::min_version, "VERSION",
             "VersionTLS10, VersionTLS11, VersionTLS12 (the default) or VersionTLS13");
  flags.list("--tls-cipher-suites", &ServingSettings::cipher_suites, "LIST",
             "Cipher suites of TLS 1.2 and earlier, by their IANA names (default: OpenSSL's)");
  flags.list(
      "--tls-curve-preferences", &ServingSettings::curves, "LIST",
      "Key exchanges that may be chosen, by Go's numbers for them: 23 (P-256), 24 (P-384), 25 "
      "(P-521), 29 (X25519), 4588 (X25519MLKEM768) (default: OpenSSL's)");
  // A pair has a comma of its own: one a flag.
  app.add_option_function<std::vector<std::string>>(
         "--tls-sni-cert-key",
         [flags](std::vector<std::string> pairs) {
           flags.set(&ServingSettings::named_pairs, std::move(pairs));
         },
         "Another certificate and its key, CERT,KEY, for the names in it, or for others as in "
         "CERT,KEY:*.example.org,example.org; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("CERT,KEY[:NAMES]");
}

void add_secure_serving_flags(CLI::App& app, RunOptions& options) {
  app.option_defaults()->group("Secure serving");
  SectionFlags<ServingSettings> flags(app, options, &Manifest::serving);
  flags.text("--bind-address", &ServingSettings::bind_address, "IP",
             "Address that serves HTTPS (default 0.0.0.0)");
  app.add_option_function<int>(
         "--secure-port",
         [flags](int port) { flags.set(&ServingSettings::port, std::optional(port)); },
         "HTTPS port of /healthz, /metrics and all other pages (default 10257, but none with "
         "--port; 0: none)")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT")
      ->take_last();
  flags.boolean("--permit-port-sharing", &ServingSettings::port_sharing,
                "Let other processes also listen on the HTTPS port");
  flags.boolean("--profiling", &ServingSettings::profiling,
                "Serve CPU profiles on /debug/pprof/profile");
  add_tls_flags(app, flags);
}

void add_authentication_flags(CLI::App& app, RunOptions& options) {
  using S = AuthenticationSettings;
  app.option_defaults()->group("Authentication");
  SectionFlags<S> flags(app, options, &Manifest::authentication);
  flags.path("--authentication-kubeconfig", &S::kubeconfig, "FILE",
             "Kubeconfig of the server that reviews tokens (default: that of the controllers)");
  flags.boolean("--authentication-skip-lookup", &S::skip_lookup,
                "Do not read the ConfigMap kube-system/extension-apiserver-authentication");
  flags.boolean("--authentication-tolerate-lookup-failure", &S::tolerate_lookup_failure,
                "Start even if that ConfigMap cannot be read");
  flags.duration("--authentication-token-webhook-cache-ttl", &S::token_cache_ttl,
                 "How long the review of a token is cached (default 10s)");
  flags.path("--client-ca-file", &S::client_ca_file, "FILE",
             "Authorities of client certificates, in PEM; instead of those in the ConfigMap");
  flags.path("--requestheader-client-ca-file", &S::request_header_ca_file, "FILE",
             "Authorities of proxies that name the user in headers, in PEM; instead of those in "
             "the ConfigMap");
  flags.list("--requestheader-allowed-names", &S::request_header_allowed_names, "LIST",
             "Common names of these proxies (default: any)");
  flags.list("--requestheader-username-headers", &S::username_headers, "LIST",
             "Headers with the user's name (default x-remote-user)");
  flags.list("--requestheader-uid-headers", &S::uid_headers, "LIST",
             "Headers with the user's UID (default: none)");
  flags.list("--requestheader-group-headers", &S::group_headers, "LIST",
             "Headers with the user's groups (default x-remote-group)");
  flags.list("--requestheader-extra-headers-prefix", &S::extra_header_prefixes, "LIST",
             "Prefixes of headers with extra user attributes (default x-remote-extra-)");
}

void add_authorization_flags(CLI::App& app, RunOptions& options) {
  using S = AuthorizationSettings;
  app.option_defaults()->group("Authorization");
  SectionFlags<S> flags(app, options, &Manifest::authorization);
  flags.path("--authorization-kubeconfig", &S::kubeconfig, "FILE",
             "Kubeconfig of the server that reviews access (default: that of the controllers)");
  flags.duration("--authorization-webhook-cache-authorized-ttl", &S::allowed_cache_ttl,
                 "How long an allowed access is cached (default 10s)");
  flags.duration("--authorization-webhook-cache-unauthorized-ttl", &S::denied_cache_ttl,
                 "How long a denied access is cached (default 10s)");
  flags.list("--authorization-always-allow-paths", &S::always_allow_paths, "LIST",
             "Paths that everyone may read; with * at the end, all that begin with it (default "
             "/healthz,/readyz,/livez)");
}

}  // namespace

void add_serving_flags(CLI::App& app, RunOptions& options) {
  add_secure_serving_flags(app, options);
  add_authentication_flags(app, options);
  add_authorization_flags(app, options);
}

}  // namespace davit::host
