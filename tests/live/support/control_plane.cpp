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

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kAdminToken[] = "admin-token";

/// The key pair that signs service account tokens.
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

std::string kubeconfig_text(const std::string& server, const std::string& ca,
                            const std::string& token) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
         "clusters:\n- name: test\n  cluster:\n    server: " +
         server + "\n    certificate-authority: " + ca +
         "\nusers:\n- name: test\n  user:\n    token: " + token +
         "\ncontexts:\n- name: test\n  context:\n    cluster: test\n    user: test\n";
}

}  // namespace

std::string assets() {
  const char* folder = std::getenv("KUBEBUILDER_ASSETS");
  return folder == nullptr ? "" : folder;
}

ControlPlane::ControlPlane(ControlPlaneOptions options)
    : options_(std::move(options)), etcd_port_(free_port()), port_(free_port()) {
  write_credentials();
  const std::string client = "http://127.0.0.1:" + std::to_string(etcd_port_);
  const std::string peer = "http://127.0.0.1:" + std::to_string(free_port());
  etcd_ = std::make_unique<Process>(
      std::vector<std::string>{assets() + "/etcd", "--data-dir",
                               (scratch_.path() / "etcd").string(), "--listen-client-urls", client,
                               "--advertise-client-urls", client, "--listen-peer-urls", peer,
                               "--initial-advertise-peer-urls", peer, "--initial-cluster",
                               "default=" + peer, "--log-level", "error"},
      log("etcd"), std::vector<std::string>{"ETCD_UNSUPPORTED_ARCH=arm64"});
  start_apiserver();
  admin_ = std::make_unique<AdminClient>(kubeconfig());
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
  write_file(kubeconfig(), kubeconfig_text(server(), ca_file(), kAdminToken));
}

std::string ControlPlane::server() const { return "https://127.0.0.1:" + std::to_string(port_); }

std::string ControlPlane::ca_file() const {
  return (scratch_.path() / "certs" / "apiserver.crt").string();
}

std::string ControlPlane::kubeconfig_for(const std::string& token) const {
  const std::filesystem::path path = scratch_.path() / ("kubeconfig-" + token.substr(0, 16));
  write_file(path, kubeconfig_text(server(), ca_file(), token));
  return path.string();
}

std::string ControlPlane::kubeconfig_of_roles(const std::filesystem::path& manifest) const {
  const Outcome roles = run({DAVIT_PROGRAM, "rbac", "--manifest", manifest.string()});
  if (roles.code != 0) give_up("davit rbac: " + roles.err);
  (void)must({"apply", "-f", "-"}, roles.out);
  // As `kubectl create token` does, which Debian's kubectl has not yet.
  const std::string answer = must(
      {"create", "--raw", "/api/v1/namespaces/kube-system/serviceaccounts/davit/token", "-f", "-"},
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}})");
  host::ObjectSpace space;
  const Result<host::ObjectRef> request = host::parse_object(space, answer);
  if (!request) give_up("no token: " + answer);
  return kubeconfig_for(std::string(request->root()["status"]["token"].string()));
}

std::filesystem::path ControlPlane::log(const std::string& name) {
  return scratch_.path() / (name + "-" + std::to_string(started_++) + ".log");
}

void ControlPlane::start_apiserver() {
  std::vector<std::string> argv = {
      assets() + "/kube-apiserver", "--etcd-servers=http://127.0.0.1:" + std::to_string(etcd_port_),
      "--bind-address=127.0.0.1", "--secure-port=" + std::to_string(port_),
      "--cert-dir=" + (scratch_.path() / "certs").string(),
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-account-key-file=" + (scratch_.path() / "sa.pub").string(),
      "--service-account-signing-key-file=" + (scratch_.path() / "sa.key").string(),
      "--service-cluster-ip-range=10.0.0.0/24",
      "--token-auth-file=" + (scratch_.path() / "tokens.csv").string(), "--authorization-mode=RBAC",
      // Nobody makes service account secrets here, and pods must not wait for them.
      "--disable-admission-plugins=ServiceAccount"};
  argv.insert(argv.end(), options_.apiserver_flags.begin(), options_.apiserver_flags.end());
  apiserver_ = std::make_unique<Process>(argv, log("apiserver"));
  // Each question is two kubectl, which would keep a small machine from starting anything.
  const auto is_decided = [this] { return healthy() || !apiserver_->running(); };
  if (!eventually(seconds(240), is_decided, milliseconds(500)) || !apiserver_->running()) {
    give_up("kube-apiserver does not become healthy:\n" + apiserver_->output() + etcd_->output());
  }
}

bool ControlPlane::healthy() const {
  return kubectl({"get", "--raw", "/readyz"}).code == 0 &&
         kubectl({"get", "namespace", "default", "kube-system"}).code == 0;
}

void ControlPlane::stop_apiserver(int signal) {
  apiserver_->signal(signal);
  if (!apiserver_->wait(seconds(90))) give_up("kube-apiserver does not stop");
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
  const std::string endpoint = "--endpoints=http://127.0.0.1:" + std::to_string(etcd_port_);
  const std::vector<std::string> api = {"ETCDCTL_API=3"};
  const Outcome status =
      run({assets() + "/etcdctl", endpoint, "endpoint", "status", "-w", "json"}, "", api);
  const std::size_t at = status.out.find("\"revision\":");
  if (at == std::string::npos) give_up("etcdctl: " + status.out + status.err);
  const std::string revision = std::to_string(std::atoll(status.out.c_str() + at + 11));
  const Outcome done = run({assets() + "/etcdctl", endpoint, "compact", revision}, "", api);
  if (done.code != 0) give_up("etcdctl compact: " + done.err);
}

std::unique_ptr<Process> ControlPlane::controller_manager(const std::string& controllers,
                                                          const std::vector<std::string>& flags) {
  std::vector<std::string> argv = {assets() + "/kube-controller-manager",
                                   "--kubeconfig=" + kubeconfig(),
                                   "--controllers=" + controllers,
                                   "--port=0",
                                   "--secure-port=" + std::to_string(free_port()),
                                   "--bind-address=127.0.0.1",
                                   "--cert-dir=" + (scratch_.path() / "kcm").string(),
                                   "--leader-elect=false"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, log("controller-manager"));
}

std::unique_ptr<Process> ControlPlane::davit(const std::vector<std::string>& flags,
                                             const std::vector<std::string>& env) {
  std::vector<std::string> argv = {DAVIT_PROGRAM, "run", "--kubeconfig", kubeconfig(), "--port=0"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(argv, log("davit"), env);
}

std::unique_ptr<Process> ControlPlane::nodes(const std::vector<std::string>& flags) {
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
