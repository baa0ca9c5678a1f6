/// A real etcd and kube-apiserver for one test program, and programs that run against them.
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

/// The folder of the programs, or "" if its variable is not set: KUBEBUILDER_ASSETS (the envtest
/// convention), or DAVIT_OLDEST_ASSETS if DAVIT_LIVE_SERVER is "oldest", as in the tests named
/// `oldest.…`.
[[nodiscard]] std::string assets();
/// The reason to skip a test if assets() is empty.
[[nodiscard]] std::string no_assets();
/// Whether the test runs against the oldest server instead of that of KUBEBUILDER_ASSETS.
[[nodiscard]] bool is_oldest_server();
/// Writes a new key pair for signing ServiceAccount tokens. Ends the test program on failure.
void write_key_pair(const std::filesystem::path& private_file,
                    const std::filesystem::path& public_file);
/// The minor version of the kube-apiserver in assets(): 36 for v1.36.2. Runs it once.
[[nodiscard]] int server_minor();
/// "v1.36", as in the lists of known differences.
[[nodiscard]] std::string server_release();

/// The command that starts the kube-controller-manager of assets() with these controllers
/// ("garbagecollector,namespace"). It keeps a serving certificate in `folder`.
[[nodiscard]] std::vector<std::string> controller_manager_command(
    const std::string& kubeconfig, const std::string& controllers,
    const std::filesystem::path& folder);

/// Whether pods wait for their ServiceAccount, which a controller must create.
enum class Admission { kNoServiceAccounts, kServiceAccounts };

/// Whether etcd syncs the disk at each write, which takes seconds on a busy disk. Unsynced data is
/// lost if the machine loses power, but not if the process is killed.
enum class Disk { kUnsynced, kSynced };

struct ControlPlaneOptions {
  std::vector<std::string> apiserver_flags;  ///< Added to the usual ones.
  /// The CA of the serving certificate that the flags name; "": it is self-signed.
  std::string ca_file = {};
  Admission admission = Admission::kNoServiceAccounts;
  Disk disk = Disk::kUnsynced;
};

/// etcd and kube-apiserver on free loopback ports, with an administrator's kubeconfig. The
/// destructor stops the processes by pid and removes their files.
class ControlPlane {
 public:
  /// Blocks until the server is healthy; if it does not become healthy, ends the program and prints
  /// the server's log.
  explicit ControlPlane(ControlPlaneOptions options = {});
  ~ControlPlane();

  [[nodiscard]] std::string kubeconfig() const { return (scratch_.path() / "kubeconfig").string(); }
  /// A kubeconfig with another bearer token; "bob" and "stranger" are users without rights.
  [[nodiscard]] std::string kubeconfig_for(const std::string& token) const;
  /// Applies the output of `davit rbac --manifest` and returns a kubeconfig of its service account,
  /// "davit" in kube-system.
  [[nodiscard]] std::string kubeconfig_of_roles(const std::filesystem::path& manifest) const;
  /// A kubeconfig whose token is in `file`, which the client may reread.
  [[nodiscard]] std::string kubeconfig_with_token_file(const std::filesystem::path& file) const;
  /// A kubeconfig whose client certificate and key are in files, which the client may reread.
  [[nodiscard]] std::string kubeconfig_with_certificate(const std::filesystem::path& certificate,
                                                        const std::filesystem::path& key) const;
  /// A token of a service account in kube-system. With a `secret`, it expires when that is deleted.
  [[nodiscard]] std::string service_account_token(const std::string& account,
                                                  const std::string& secret = "") const;
  [[nodiscard]] std::string server() const;
  [[nodiscard]] int port() const { return port_; }
  /// A kubeconfig for another port of this machine, such as a proxy's.
  [[nodiscard]] std::string kubeconfig_through(int port,
                                               const std::string& token = kAdminToken) const;
  [[nodiscard]] std::string ca_file() const;
  /// The private key that signs tokens of ServiceAccounts.
  [[nodiscard]] std::string account_key_file() const;
  /// The URL of an HTTP server that is not an API server.
  [[nodiscard]] std::string etcd_url() const {
    return "http://127.0.0.1:" + std::to_string(etcd_port_);
  }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }

  /// Runs kubectl as administrator.
  [[nodiscard]] Outcome kubectl(const std::vector<std::string>& args,
                                const std::string& input = "") const;
  /// Like kubectl(), but ends the test program with the output on failure; returns standard output.
  std::string must(const std::vector<std::string>& args, const std::string& input = "") const;

  /// The body of a GET of `path` as administrator, faster than kubectl; "" on failure. Thread-safe.
  [[nodiscard]] std::string read(const std::string& path) const;
  /// The administrator's API client, without a rate limit. Thread-safe.
  [[nodiscard]] host::RestClient& client() const;

  void stop_apiserver(int signal);
  /// Starts the API server without waiting until it is healthy.
  void launch_apiserver();
  /// Starts the API server and blocks until it is healthy.
  void start_apiserver();
  void kill_etcd();
  /// Starts etcd with its previous data, without waiting until the API server is healthy again.
  void launch_etcd();
  /// Stops etcd, copies its data and starts it. Blocks until the API server is healthy again.
  void back_up();
  /// Stops etcd and the API server for the time `away`, and starts them with the data of back_up().
  /// Blocks until the API server is healthy.
  void restore(std::chrono::milliseconds away);
  /// Blocks until the API server is healthy.
  void await_health();
  /// Compacts etcd's history, so that requests with old resource versions get 410.
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
  /// Starts the fake kubelet, which makes pods Running and Ready.
  [[nodiscard]] std::unique_ptr<Process> kubelet(const std::vector<std::string>& flags = {});

  /// Starts simulated nodes and their scheduler: `davit sandbox nodes`.
  [[nodiscard]] std::unique_ptr<Process> nodes(const std::vector<std::string>& flags = {});

  [[nodiscard]] pid_t apiserver_pid() const { return apiserver_->pid(); }
  [[nodiscard]] pid_t etcd_pid() const { return etcd_->pid(); }

 private:
  void write_credentials() const;
  /// Applies roles and bindings, and blocks until the API server enforces them.
  void grant(const std::string& roles) const;
  [[nodiscard]] std::filesystem::path log(const std::string& name);
  [[nodiscard]] bool healthy() const;
  /// Blocks until the API server reports within a second that it is ready. A server that a busy
  /// machine has just started may become unhealthy again, and controllers give up their start after
  /// ten seconds of that.
  void await_prompt_response() const;
  /// The response, including its head, to a POST to etcd's JSON gateway.
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
