#include "host/credentials/credentials.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <davit/percent_code.hpp>
#include <utility>

#include "host/credentials/exec_credentials.hpp"
#include "host/credentials/token_file.hpp"
#include "lib/base/header_value.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// So much of an extra's key goes into messages.
constexpr std::size_t kKeyBytesShown = 64;

class StaticCredentials final : public Credentials {
 public:
  explicit StaticCredentials(std::string authorization)
      : authorization_(std::move(authorization)) {}
  [[nodiscard]] Result<Credential> get() override { return Credential{authorization_, nullptr}; }
  void rejected(const Credential&) override {}

 private:
  const std::string authorization_;
};

// RFC 9110 token characters, less the percent sign, which escapes the others.
std::string escape_header_key(std::string_view key) {
  return percent_escaped(key, "!#$&'*+-.^_`|~");
}

bool has_header(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return true;
  }
  return false;
}

/// A request of AuthenticatedTransport: passes everything on and watches for 401.
class AuthenticatedCall final : public Call, public ResponseReader {
 public:
  AuthenticatedCall(Credentials& credentials, Credential used, ResponseReader& reader)
      : credentials_(credentials), used_(std::move(used)), reader_(reader) {}

  void start(Transport& transport, HttpRequest request) {
    call_ = transport.start(std::move(request), *this);
  }
  void resume() override { call_->resume(); }
  [[nodiscard]] bool is_sent() const override { return call_->is_sent(); }

  void on_head(int status, const HttpHeaders& headers) override {
    if (status == kUnauthorized) credentials_.rejected(used_);
    reader_.on_head(status, headers);
  }
  Flow on_body(std::string_view chunk) override { return reader_.on_body(chunk); }
  void on_end(const TransportEnd& end) override { reader_.on_end(end); }

 private:
  static constexpr int kUnauthorized = 401;

  Credentials& credentials_;
  const Credential used_;
  ResponseReader& reader_;
  std::unique_ptr<Call> call_;  // Last: while it lives, callbacks come.
};

class AuthenticatedTransport final : public Transport {
 public:
  AuthenticatedTransport(std::unique_ptr<Transport> inner, std::unique_ptr<Credentials> credentials,
                         HttpHeaders impersonation)
      : credentials_(std::move(credentials)),
        impersonation_(std::move(impersonation)),
        owned_(std::move(inner)),
        inner_(*owned_) {}
  AuthenticatedTransport(Transport& inner, std::unique_ptr<Credentials> credentials)
      : credentials_(std::move(credentials)), inner_(inner) {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    Result<Credential> credential = credentials_->get();
    if (!credential) {
      reader.on_end({Break::kCredentials, "getting credentials: " + credential.error().message()});
      return std::make_unique<EndedCall>();
    }
    if (const std::string fault = header_fault(credential->authorization); !fault.empty()) {
      reader.on_end({Break::kCredentials, "getting credentials: the token " + fault});
      return std::make_unique<EndedCall>();
    }
    if (!credential->authorization.empty() && !has_header(request.headers, "Authorization")) {
      request.headers.emplace_back("Authorization", credential->authorization);
    }
    if (!has_header(request.headers, "Impersonate-User")) {
      request.headers.insert(request.headers.end(), impersonation_.begin(), impersonation_.end());
    }
    request.certificate = credential->certificate;
    auto call = std::make_unique<AuthenticatedCall>(*credentials_, *std::move(credential), reader);
    call->start(inner_, std::move(request));
    return call;
  }

  [[nodiscard]] bool is_ready() override { return credentials_->is_ready() && inner_.is_ready(); }
  [[nodiscard]] Status prepare() override {
    if (const Result<Credential> got = credentials_->get(); !got) {
      return {Code::kForbidden, "getting credentials: " + got.error().message()};
    }
    return inner_.prepare();
  }

  void close_idle() override {
    if (owned_ != nullptr) owned_->close_idle();
  }
  [[nodiscard]] std::string_view server() const override { return inner_.server(); }

 private:
  const std::unique_ptr<Credentials> credentials_;
  const HttpHeaders impersonation_;
  const std::unique_ptr<Transport> owned_;  // Null: `inner_` belongs to another.
  Transport& inner_;
};

}  // namespace

std::string bearer_authorization(std::string_view token) { return "Bearer " + std::string(token); }

Result<std::unique_ptr<Credentials>> make_credentials(const ConnectionConfig& config, Clock& clock,
                                                      RestMetrics& metrics, Logger log) {
  using Owned = std::unique_ptr<Credentials>;
  const bool has_token = !config.token.empty() || !config.token_file.empty();
  const bool has_basic = !config.username.empty() || !config.password.empty();
  const bool has_cert = !config.cert_data.empty() || !config.cert_file.empty();
  if (has_token && has_basic) {
    return Status(Code::kInvalid, "username/password or bearer token may be set, but not both");
  }
  if (const std::string fault = header_fault(bearer_authorization(config.token)); !fault.empty()) {
    return Status(Code::kInvalid, "the token " + fault);
  }
  if (!config.token_file.empty()) {
    return Owned(std::make_unique<TokenFile>(config.token_file, config.token, clock, log));
  }
  if (has_token)
    return Owned(std::make_unique<StaticCredentials>(bearer_authorization(config.token)));
  if (has_basic) {
    std::string basic = "Basic " + encode_base64(config.username + ":" + config.password);
    if (const std::string fault = header_fault(basic); !fault.empty()) {
      return Status(Code::kInvalid, "username and password, in base64, " + fault);
    }
    return Owned(std::make_unique<StaticCredentials>(std::move(basic)));
  }
  if (config.exec && !has_cert) return ExecCredentials::open(config, clock, metrics, log);
  return Owned(std::make_unique<StaticCredentials>(""));
}

Result<HttpHeaders> impersonation_headers(const Impersonation& who) {
  HttpHeaders out;
  constexpr std::string_view kExtra = "Impersonate-Extra-";
  std::string fault;
  const auto can_send = [&](const std::string& what, std::string_view name,
                            const std::string& value) {
    fault = header_fault(value, name.size());
    if (!fault.empty()) fault = "the " + what + " to impersonate " + fault;
    return fault.empty();
  };
  bool good =
      can_send("user", "Impersonate-User", who.user) && can_send("uid", "Impersonate-Uid", who.uid);
  for (const std::string& group : who.groups) {
    good = good && can_send("group", "Impersonate-Group", group);
  }
  for (const auto& [key, values] : who.extra) {
    const std::string name = std::string(kExtra) + escape_header_key(key);
    const std::string what = "extra " + json_string(key.substr(0, kKeyBytesShown));
    good = good && can_send(what, name, "");
    for (const std::string& value : values) good = good && can_send(what, name, value);
  }
  if (!good) return Status(Code::kInvalid, std::move(fault));
  if (who.user.empty()) {
    if (who.uid.empty() && who.groups.empty() && who.extra.empty()) return out;
    return Status(Code::kInvalid,
                  "requesting uid, groups or user-extra without impersonating a user");
  }
  out.emplace_back("Impersonate-User", who.user);
  if (!who.uid.empty()) out.emplace_back("Impersonate-Uid", who.uid);
  for (const std::string& group : who.groups) out.emplace_back("Impersonate-Group", group);
  for (const auto& [key, values] : who.extra) {
    for (const std::string& value : values) {
      out.emplace_back(std::string(kExtra) + escape_header_key(key), value);
    }
  }
  return out;
}

std::unique_ptr<Transport> add_credentials(std::unique_ptr<Transport> inner,
                                           std::unique_ptr<Credentials> credentials,
                                           HttpHeaders impersonation) {
  return std::make_unique<AuthenticatedTransport>(std::move(inner), std::move(credentials),
                                                  std::move(impersonation));
}

std::unique_ptr<Transport> add_credentials(Transport& inner,
                                           std::unique_ptr<Credentials> credentials) {
  return std::make_unique<AuthenticatedTransport>(inner, std::move(credentials));
}

}  // namespace davit::host
