/// A real etcd and kube-apiserver for one test program, and what runs beside them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/live/support/process.hpp"

namespace davit::host {
class RestClient;
}

namespace davit::live {

class AdminClient;

/// The bearer token of the administrator.
inline constexpr char kAdminToken[] = "admin-token";

/// The folder of the programs, or "" when the variable that names it is not set:
/// KUBEBUILDER_ASSETS (the envtest convention), or DAVIT_OLDEST_ASSETS when DAVIT_LIVE_SERVER is
/// "oldest", as it is in the tests that ctest calls `oldest.…`.
[[nodiscard]] std::string assets();
/// Why assets() is empty, to skip with.
[[nodiscard]] std::string no_assets();
/// Whether the test is to run on the oldest server instead of the first.
[[nodiscard]] bool is_oldest_server();
/// Writes a new key pair that signs tokens of ServiceAccounts. Ends the test program on failure.
void write_key_pair(const std::filesystem::path& private_file,
                    const std::filesystem::path& public_file);
/// Minor release of the kube-apiserver in assets(): 36 for v1.36.2. Runs it once.
[[nodiscard]] int server_minor();
/// "v1.36", as the lists of known differences name it.
[[nodiscard]] std::string server_release();

/// The command that starts the kube-controller-manager of assets() with these controllers
/// ("garbagecollector,namespace"). It keeps a serving certificate in `folder`.
[[nodiscard]] std::vector<std::string> controller_manager_command(
    const std::string& kubeconfig, const std::string& controllers,
    const std::filesystem::path& folder);

/// Whether pods wait for their ServiceAccount, which a controller has to create.
enum class Admission { kNoServiceAccounts, kServiceAccounts };

/// Whether etcd waits for the disk at each write, which takes seconds where others are busy with
/// it. A machine that loses its power loses what was not synced; a process that is killed does not.
enum class Disk { kUnsynced, kSynced };

struct ControlPlaneOptions {
  std::vector<std::string> apiserver_flags;  ///< Added to the usual ones.
  /// Signs the serving certificate that the flags name; "": it is self-signed.
  std::string ca_file = {};
  Admission admission = Admission::kNoServiceAccounts;
  Disk disk = Disk::kUnsynced;
};

/// etcd and kube-apiserver on free loopback ports, with a kubeconfig of an administrator.
/// Everything is stopped by pid and removed when this goes.
class ControlPlane {
 public:
  /// Blocks until the server is healthy; ends the program with its log when it does not become so.
  explicit ControlPlane(ControlPlaneOptions options = {});
  ~ControlPlane();

  [[nodiscard]] std::string kubeconfig() const { return (scratch_.path() / "kubeconfig").string(); }
  /// A kubeconfig with another bearer token; "bob" and "stranger" are users without rights.
  [[nodiscard]] std::string kubeconfig_for(const std::string& token) const;
  /// A kubeconfig of the service account that `davit rbac --manifest` gives its rights to, in
  /// kube-system under the name "davit". Applies them.
  [[nodiscard]] std::string kubeconfig_of_roles(const std::filesystem::path& manifest) const;
  /// A kubeconfig whose token is read from `file`, as often as its user likes.
  [[nodiscard]] std::string kubeconfig_with_token_file(const std::filesystem::path& file) const;
  /// A kubeconfig whose client certificate and key are read from files, as often as its user likes.
  [[nodiscard]] std::string kubeconfig_with_certificate(const std::filesystem::path& certificate,
                                                        const std::filesystem::path& key) const;
  /// A token of a service account in kube-system. With a `secret` it ends when that is deleted.
  [[nodiscard]] std::string service_account_token(const std::string& account,
                                                  const std::string& secret = "") const;
  [[nodiscard]] std::string server() const;
  [[nodiscard]] int port() const { return port_; }
  /// A kubeconfig that leads to another port of this machine, as a proxy's.
  [[nodiscard]] std::string kubeconfig_through(int port,
                                               const std::string& token = kAdminToken) const;
  [[nodiscard]] std::string ca_file() const;
  /// The private key that signs tokens of ServiceAccounts.
  [[nodiscard]] std::string account_key_file() const;
  /// A server that speaks HTTP and is no API server.
  [[nodiscard]] std::string etcd_url() const {
    return "http://127.0.0.1:" + std::to_string(etcd_port_);
  }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }

  /// Runs kubectl as administrator.
  [[nodiscard]] Outcome kubectl(const std::vector<std::string>& args,
                                const std::string& input = "") const;
  /// As kubectl(), and ends the test program with its output when it fails; returns standard
  /// output.
  std::string must(const std::vector<std::string>& args, const std::string& input = "") const;

  /// The body of a GET of `path` as administrator, without the weight of a kubectl; "" when it
  /// fails. Thread-safe.
  [[nodiscard]] std::string read(const std::string& path) const;
  /// The administrator's API client, without a rate limit. Thread-safe.
  [[nodiscard]] host::RestClient& client() const;

  void stop_apiserver(int signal);
  /// Does not wait until it is healthy.
  void launch_apiserver();
  /// Blocks until it is healthy.
  void start_apiserver();
  void kill_etcd();
  /// With the data that it had. Does not wait until the API server is healthy again.
  void launch_etcd();
  /// Copies etcd's data, for which it is stopped. Blocks until the API server is healthy again.
  void back_up();
  /// Stops etcd and the API server for so long, and starts them with the data of back_up(). Blocks
  /// until the API server is healthy.
  void restore(std::chrono::milliseconds away);
  /// Blocks until the API server is healthy.
  void await_health();
  /// Compacts etcd's history, so that old resource versions respond 410.
  void compact() const;

  /// Starts kube-controller-manager with these controllers ("garbagecollector,namespace").
  [[nodiscard]] std::unique_ptr<Process> controller_manager(
      const std::string& controllers, const std::vector<std::string>& flags = {});
  /// Starts `davit run` with the plugins of the build tree.
  [[nodiscard]] std::unique_ptr<Process> davit(const std::vector<std::string>& flags = {},
                                               const std::vector<std::string>& env = {});
  /// The same with another kubeconfig.
  [[nodiscard]] std::unique_ptr<Process> davit_with(const std::string& kubeconfig,
                                                    const std::vector<std::string>& flags);
  /// Starts the stand-in for kubelets: pods become Running and Ready.
  [[nodiscard]] std::unique_ptr<Process> kubelet(const std::vector<std::string>& flags = {});

  /// Starts simulated nodes and their scheduler: `davit sandbox nodes`.
  [[nodiscard]] std::unique_ptr<Process> nodes(const std::vector<std::string>& flags = {});

  [[nodiscard]] pid_t apiserver_pid() const { return apiserver_->pid(); }
  [[nodiscard]] pid_t etcd_pid() const { return etcd_->pid(); }

 private:
  void write_credentials() const;
  /// Applies roles and bindings, and blocks until the API server goes by them.
  void grant(const std::string& roles) const;
  [[nodiscard]] std::filesystem::path log(const std::string& name);
  [[nodiscard]] bool healthy() const;
  /// Blocks until the API server says within a second that it is ready: controllers give up their
  /// start when it is not healthy for ten seconds, which one that a busy machine has just started
  /// may be again.
  void await_prompt_response() const;
  /// The response, head and all, of a POST to etcd's JSON gateway.
  [[nodiscard]] std::string ask_etcd(const std::string& path, const std::string& body) const;

  ControlPlaneOptions options_;
  ScratchDir scratch_;
  int etcd_port_ = 0;
  int peer_port_ = 0;
  int port_ = 0;
  int started_ = 0;
  std::unique_ptr<Process> etcd_;
  std::unique_ptr<Process> apiserver_;
  std::unique_ptr<AdminClient> admin_;
};

}  // namespace davit::live
