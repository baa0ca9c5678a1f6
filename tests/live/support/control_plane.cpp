#include "tests/live/support/control_plane.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "host/api/rest_client.hpp"
#include "host/object/parse.hpp"
#include "tests/live/support/admin_client.hpp"
#include "tests/support/http_client.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// From this release on kube-controller-manager has no insecure port to switch off.
constexpr int kMinorWithoutInsecurePort = 24;

const char* assets_variable() {
  return is_oldest_server() ? "DAVIT_OLDEST_ASSETS" : "KUBEBUILDER_ASSETS";
}

/// `user`: members of the user, as in "token: abc".
std::string kubeconfig_text(const std::string& server, const std::string& ca,
                            const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
         "clusters:\n- name: test\n  cluster:\n    server: " +
         server + "\n    certificate-authority: " + ca + "\nusers:\n- name: test\n  user: {" +
         user + "}\ncontexts:\n- name: test\n  context:\n    cluster: test\n    user: test\n";
}

std::string token_user(const std::string& token) { return "token: " + token; }

/// Behind other rights. The server reads the objects of each kind in order: once it goes by these,
/// it goes by the others.
constexpr char kProbeRights[] = R"(
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: probe-$N}
rules: [{apiGroups: [""], resources: [nothing], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: probe-$N}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: probe-$N}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: probe-of-cluster-$N}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: probe-$N, namespace: kube-system}
rules: [{apiGroups: [""], resources: [nothing], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: probe-$N, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: probe-$N}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: probe-of-namespace-$N}]
)";

}  // namespace

void write_key_pair(const std::filesystem::path& private_file,
                    const std::filesystem::path& public_file) {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  std::FILE* out = std::fopen(private_file.c_str(), "w");
  if (key == nullptr || out == nullptr ||
      PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    give_up("cannot write the service account key");
  }
  std::fclose(out);
  out = std::fopen(public_file.c_str(), "w");
  if (out == nullptr || PEM_write_PUBKEY(out, key) != 1) give_up("cannot write the public key");
  std::fclose(out);
  EVP_PKEY_free(key);
}

std::string assets() {
  const char* folder = std::getenv(assets_variable());
  return folder == nullptr ? "" : folder;
}

bool is_oldest_server() {
  const char* server = std::getenv("DAVIT_LIVE_SERVER");
  return server != nullptr && std::string_view(server) == "oldest";
}

std::string server_release() { return "v1." + std::to_string(server_minor()); }

std::string no_assets() { return std::string(assets_variable()) + " is not set"; }

int server_minor() {
  static const int kMinor = [] {
    const Outcome said = run({assets() + "/kube-apiserver", "--version"});
    constexpr std::string_view kBegin = "Kubernetes v1.";
    if (!said.out.starts_with(kBegin)) give_up("kube-apiserver --version: " + said.out + said.err);
    return std::atoi(said.out.c_str() + kBegin.size());
  }();
  return kMinor;
}

std::vector<std::string> controller_manager_command(const std::string& kubeconfig,
                                                    const std::string& controllers,
                                                    const std::filesystem::path& folder) {
  std::vector<std::string> argv = {assets() + "/kube-controller-manager",
                                   "--kubeconfig=" + kubeconfig,
                                   "--controllers=" + controllers,
                                   "--secure-port=" + std::to_string(free_port()),
                                   "--bind-address=127.0.0.1",
                                   "--cert-dir=" + folder.string(),
                                   "--leader-elect=false"};
  if (server_minor() < kMinorWithoutInsecurePort) argv.push_back("--port=0");
  return argv;
}

ControlPlane::ControlPlane(ControlPlaneOptions options)
    : options_(std::move(options)),
      etcd_port_(free_port()),
      peer_port_(free_port()),
      port_(free_port()) {
  write_credentials();
  launch_etcd();
  start_apiserver();
  admin_ = std::make_unique<AdminClient>(kubeconfig());
}

void ControlPlane::launch_etcd() {
  const std::string client = "http://127.0.0.1:" + std::to_string(etcd_port_);
  const std::string peer = "http://127.0.0.1:" + std::to_string(peer_port_);
  std::vector<std::string> argv = {assets() + "/etcd",
                                   "--data-dir",
                                   (scratch_.path() / "etcd").string(),
                                   "--listen-client-urls",
                                   client,
                                   "--advertise-client-urls",
                                   client,
                                   "--listen-peer-urls",
                                   peer,
                                   "--initial-advertise-peer-urls",
                                   peer,
                                   "--initial-cluster",
                                   "default=" + peer,
                                   "--log-level",
                                   "error"};
  if (options_.disk == Disk::kUnsynced) argv.emplace_back("--unsafe-no-fsync");
  etcd_ = std::make_unique<Process>(argv, log("etcd"),
                                    std::vector<std::string>{"ETCD_UNSUPPORTED_ARCH=arm64"});
}

std::string ControlPlane::read(const std::string& path) const {
  host::ApiRequest request;
  request.raw_path = path;
  return client().call(request).body;
}

host::RestClient& ControlPlane::client() const { return admin_->client(); }

ControlPlane::~ControlPlane() = default;

void ControlPlane::write_credentials() const {
  write_key_pair(scratch_.path() / "sa.key", scratch_.path() / "sa.pub");
  write_file(scratch_.path() / "tokens.csv", std::string(kAdminToken) +
                                                 ",admin,admin,system:masters\n"
                                                 "bob-token,bob,bob\n"
                                                 "alice-token,alice,alice\n");
  write_file(kubeconfig(), kubeconfig_text(server(), ca_file(), token_user(kAdminToken)));
}

std::string ControlPlane::account_key_file() const { return (scratch_.path() / "sa.key").string(); }

std::string ControlPlane::server() const { return "https://127.0.0.1:" + std::to_string(port_); }

std::string ControlPlane::kubeconfig_through(int port, const std::string& token) const {
  const std::string number = std::to_string(port);
  const std::filesystem::path path = scratch_.path() / ("kubeconfig-" + number);
  write_file(path, kubeconfig_text("https://127.0.0.1:" + number, ca_file(), token_user(token)));
  return path.string();
}

std::string ControlPlane::ca_file() const {
  if (!options_.ca_file.empty()) return options_.ca_file;
  return (scratch_.path() / "certs" / "apiserver.crt").string();
}

std::string ControlPlane::kubeconfig_for(const std::string& token) const {
  const std::filesystem::path path = scratch_.path() / ("kubeconfig-" + token.substr(0, 16));
  write_file(path, kubeconfig_text(server(), ca_file(), token_user(token)));
  return path.string();
}

std::string ControlPlane::kubeconfig_of_roles(const std::filesystem::path& manifest) const {
  const Outcome roles = run({DAVIT_PROGRAM, "rbac", "--manifest", manifest.string()});
  if (roles.code != 0) give_up("davit rbac: " + roles.err);
  grant(roles.out);
  return kubeconfig_for(service_account_token("davit"));
}

void ControlPlane::grant(const std::string& roles) const {
  static int number = 0;
  std::string manifest = roles + kProbeRights;
  const std::string unique = std::to_string(++number);
  for (std::size_t at = 0; (at = manifest.find("$N", at)) != std::string::npos;) {
    manifest.replace(at, 2, unique);
  }
  must({"apply", "-f", "-"}, manifest);
  for (const char* user : {"probe-of-cluster-", "probe-of-namespace-"}) {
    const auto is_granted = [&] {
      return kubectl({"auth", "can-i", "get", "nothing", "--namespace=kube-system",
                      "--as=" + (user + unique)})
                 .code == 0;
    };
    if (!eventually(seconds(240), is_granted, milliseconds(100))) give_up("rights do not show");
  }
}

std::string ControlPlane::service_account_token(const std::string& account,
                                                const std::string& secret) const {
  // As `kubectl create token` does, which Debian's kubectl has not yet.
  const std::string bound =
      secret.empty()
          ? ""
          : R"("boundObjectRef":{"apiVersion":"v1","kind":"Secret","name":")" + secret + "\"}";
  const std::string response = must(
      {"create", "--raw", "/api/v1/namespaces/kube-system/serviceaccounts/" + account + "/token",
       "-f", "-"},
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{)" + bound + "}}");
  host::ObjectSpace space;
  const Result<host::ObjectRef> request = host::parse_object(space, response);
  if (!request) give_up("no token: " + response);
  return std::string(request->root()["status"]["token"].string());
}

std::string ControlPlane::kubeconfig_with_token_file(const std::filesystem::path& file) const {
  const std::filesystem::path path =
      scratch_.path() / ("kubeconfig-of-" + file.filename().string());
  write_file(path, kubeconfig_text(server(), ca_file(), "tokenFile: " + file.string()));
  return path.string();
}

std::string ControlPlane::kubeconfig_with_certificate(const std::filesystem::path& certificate,
                                                      const std::filesystem::path& key) const {
  const std::filesystem::path path = scratch_.path() / "kubeconfig-with-certificate";
  write_file(path, kubeconfig_text(server(), ca_file(),
                                   "client-certificate: " + certificate.string() +
                                       ", client-key: " + key.string()));
  return path.string();
}

std::filesystem::path ControlPlane::log(const std::string& name) {
  return scratch_.path() / (name + "-" + std::to_string(started_++) + ".log");
}

void ControlPlane::start_apiserver() {
  launch_apiserver();
  await_health();
}

void ControlPlane::launch_apiserver() {
  std::vector<std::string> argv = {
      assets() + "/kube-apiserver",
      "--etcd-servers=http://127.0.0.1:" + std::to_string(etcd_port_),
      "--bind-address=127.0.0.1",
      "--secure-port=" + std::to_string(port_),
      "--cert-dir=" + (scratch_.path() / "certs").string(),
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-account-key-file=" + (scratch_.path() / "sa.pub").string(),
      "--service-account-signing-key-file=" + (scratch_.path() / "sa.key").string(),
      "--service-cluster-ip-range=10.0.0.0/24",
      "--token-auth-file=" + (scratch_.path() / "tokens.csv").string(),
      "--authorization-mode=RBAC"};
  if (options_.admission == Admission::kNoServiceAccounts) {
    argv.emplace_back("--disable-admission-plugins=ServiceAccount");
  }
  argv.insert(argv.end(), options_.apiserver_flags.begin(), options_.apiserver_flags.end());
  apiserver_ = std::make_unique<Process>(argv, log("apiserver"));
}

void ControlPlane::await_health() {
  const auto is_decided = [this] { return healthy() || !apiserver_->running(); };
  if (!eventually(seconds(240), is_decided, milliseconds(250)) || !apiserver_->running()) {
    give_up("kube-apiserver does not become healthy:\n" + apiserver_->output() + etcd_->output());
  }
}

bool ControlPlane::healthy() const {
  return AdminClient::is_served(
      kubeconfig(), {"/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"});
}

void ControlPlane::await_prompt_response() const {
  host::ApiRequest request;
  request.raw_path = "/readyz";
  request.accept = "*/*";
  request.timeout = seconds(1);
  static_cast<void>(eventually(
      seconds(240), [&] { return client().call(request).status.ok(); }, milliseconds(100)));
}

void ControlPlane::kill_etcd() {
  etcd_->signal(SIGKILL);
  if (!etcd_->wait(seconds(240))) give_up("etcd does not stop");
}

void ControlPlane::back_up() {
  kill_etcd();
  std::filesystem::copy(scratch_.path() / "etcd", scratch_.path() / "backup",
                        std::filesystem::copy_options::recursive);
  launch_etcd();
  await_health();
}

void ControlPlane::restore(std::chrono::milliseconds away) {
  stop_apiserver(SIGKILL);
  kill_etcd();
  std::filesystem::remove_all(scratch_.path() / "etcd");
  std::filesystem::rename(scratch_.path() / "backup", scratch_.path() / "etcd");
  static_cast<void>(eventually(away, [] { return false; }));
  launch_etcd();
  start_apiserver();
}

void ControlPlane::stop_apiserver(int signal) {
  apiserver_->signal(signal);
  // With SIGTERM it waits a minute for its watches.
  if (!apiserver_->wait(seconds(240))) give_up("kube-apiserver does not stop");
}

Outcome ControlPlane::kubectl(const std::vector<std::string>& args,
                              const std::string& input) const {
  std::vector<std::string> argv = {"kubectl", "--kubeconfig", kubeconfig()};
  argv.insert(argv.end(), args.begin(), args.end());
  return run(argv, input, {"HOME=" + scratch_.path().string()});
}

std::string ControlPlane::must(const std::vector<std::string>& args,
                               const std::string& input) const {
  const Outcome outcome = kubectl(args, input);
  if (outcome.code != 0) {
    std::string words;
    for (const std::string& each : args) words += " " + each;
    give_up("kubectl" + words + ": " + outcome.out + outcome.err);
  }
  return outcome.out;
}

void ControlPlane::compact() const {
  const std::string status = ask_etcd("/v3/maintenance/status", "{}");
  constexpr std::string_view kRevision = "\"revision\":\"";
  const std::size_t at = status.find(kRevision);
  if (at == std::string::npos) give_up("etcd says: " + status);
  const std::string revision = std::to_string(std::atoll(status.c_str() + at + kRevision.size()));
  // Physical: the response comes once the history is gone.
  const std::string done =
      ask_etcd("/v3/kv/compaction", "{\"revision\":\"" + revision + "\",\"physical\":true}");
  if (!done.starts_with("HTTP/1.1 200")) give_up("etcd does not compact: " + done);
}

std::string ControlPlane::ask_etcd(const std::string& path, const std::string& body) const {
  test::HttpClient http(static_cast<std::uint16_t>(etcd_port_));
  http.send("POST " + path + " HTTP/1.1\r\nHost: etcd\r\nConnection: close\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
  return http.read_all();
}

std::unique_ptr<Process> ControlPlane::controller_manager(const std::string& controllers,
                                                          const std::vector<std::string>& flags) {
  await_prompt_response();
  std::vector<std::string> argv =
      controller_manager_command(kubeconfig(), controllers, scratch_.path() / "kcm");
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, log("controller-manager"));
}

std::unique_ptr<Process> ControlPlane::davit(const std::vector<std::string>& flags,
                                             const std::vector<std::string>& env) {
  await_prompt_response();
  std::vector<std::string> argv = {DAVIT_PROGRAM, "run", "--kubeconfig", kubeconfig(), "--port=0"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, log("davit"), env);
}

std::unique_ptr<Process> ControlPlane::davit_with(const std::string& kubeconfig,
                                                  const std::vector<std::string>& flags) {
  await_prompt_response();
  std::vector<std::string> argv = {DAVIT_PROGRAM, "run", "--kubeconfig", kubeconfig, "--port=0"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, log("davit"));
}

std::unique_ptr<Process> ControlPlane::nodes(const std::vector<std::string>& flags) {
  await_prompt_response();
  std::vector<std::string> argv = {DAVIT_PROGRAM, "sandbox", "nodes", "--kubeconfig", kubeconfig()};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, log("nodes"));
}

std::unique_ptr<Process> ControlPlane::kubelet(const std::vector<std::string>& flags) {
  std::vector<std::string> argv = {DAVIT_TEST_KUBELET, kubeconfig()};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, log("kubelet"));
}

}  // namespace davit::live
