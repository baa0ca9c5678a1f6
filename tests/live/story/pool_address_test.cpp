/// A client reaches the pod of a Service of type LoadBalancer at the address that davit gave it
/// from a pool, over the route that davit set in the kernel of the gateway. Needs kubectl, root and
/// iproute2.
///
///     client 192.168.60.2 ── gateway 192.168.60.1, 192.168.50.1 ── node n1 192.168.50.11
///                            davit, API server                     pod 10.244.1.2
///
/// Each machine is a network namespace. The test plays the other parts: it creates the Node, serves
/// in its pod, and accepts connections to the Service's address on the gateway and forwards them to
/// the pod, as a proxy of Services does.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "lib/base/unique_fd.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::StartsWith;

constexpr const char* kPod = "10.244.1.2";
constexpr std::uint16_t kPodPort = 8080;
constexpr std::uint16_t kServicePort = 80;
constexpr const char* kRoute = "10.244.1.0/24 via 192.168.50.11";

constexpr char kManifest[] = R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
plugins:
- name: cloud
- name: pools
  controllers:
    pools:
      enabled: true
      config:
        pools:
        - name: edge
          addresses: [192.168.70.10-192.168.70.19]
        routes: {kind: kernel}
)";
constexpr char kNode[] = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},
  "spec":{"podCIDR":"10.244.1.0/24","podCIDRs":["10.244.1.0/24"]},
  "status":{"addresses":[{"type":"InternalIP","address":"192.168.50.11"}],
            "conditions":[{"type":"Ready","status":"True"}]}})";
constexpr char kService[] = R"(apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: LoadBalancer, ports: [{port: 80, targetPort: 8080}]}
)";

/// The output of a command, followed by "failed" if it fails.
std::string shell(const std::string& command) {
  const auto close = [](FILE* pipe) { return ::pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(
      ::popen((command + " 2>&1 || echo failed").c_str(), "r"), close);
  std::string out;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) out += buffer.data();
  return out;
}

/// Another network namespace than that of the program; it ends with this.
class Network {
 public:
  Network() {
    std::jthread([this] {
      if (::unshare(CLONE_NEWNET) != 0) return;
      fd_ = UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    }).join();
  }
  /// Runs `work` there.
  template <typename Work>
  void run(const Work& work) const {
    std::jthread([&] {
      if (::setns(fd_.get(), CLONE_NEWNET) == 0) work();
    }).join();
  }
  [[nodiscard]] std::string shell(const std::string& command) const {
    std::string out = "not run";
    run([&] { out = live::shell(command); });
    return out;
  }
  /// A socket there, which any thread may use.
  [[nodiscard]] UniqueFd socket() const {
    UniqueFd made;
    run([&] { made = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); });
    return made;
  }
  /// The file by which `ip link set … netns` knows it.
  [[nodiscard]] std::string file() const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_.get());
  }

 private:
  UniqueFd fd_;
};

sockaddr_in address_of(const std::string& ip, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  EXPECT_EQ(::inet_pton(AF_INET, ip.c_str(), &out.sin_addr), 1) << ip;
  return out;
}

/// Limits each wait to far more than a connection takes.
void limit_waits(const UniqueFd& socket) {
  constexpr timeval kLimit{60, 0};
  for (const int each : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    EXPECT_EQ(::setsockopt(socket.get(), SOL_SOCKET, each, &kLimit, sizeof(kLimit)), 0);
  }
}

[[nodiscard]] bool listen_at(const UniqueFd& socket, const std::string& ip, std::uint16_t port) {
  const sockaddr_in at = address_of(ip, port);
  limit_waits(socket);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof(at)) == 0 &&
         ::listen(socket.get(), SOMAXCONN) == 0;
}

/// 0, or the number of the error.
[[nodiscard]] int connect_to(const UniqueFd& socket, const std::string& ip, std::uint16_t port) {
  const sockaddr_in to = address_of(ip, port);
  limit_waits(socket);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0 ? 0
                                                                                          : errno;
}

/// All that the other side sends.
std::string read_all(const UniqueFd& socket) {
  std::string out;
  std::array<char, 256> buffer{};
  for (ssize_t got = 0; (got = ::recv(socket.get(), buffer.data(), buffer.size(), 0)) > 0;) {
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return out;
}

void send_all(const UniqueFd& socket, const std::string& text) {
  EXPECT_EQ(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

/// Accepts one connection.
UniqueFd accept_from(const UniqueFd& listener) {
  return UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

class PoolAddressTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::unshare(CLONE_NEWNET) != 0 ||
        !shell("ip link add probe type veth peer name other").empty()) {
      GTEST_SKIP() << "no network namespace can be made here";
    }
    node_ = std::make_unique<Network>();
    client_ = std::make_unique<Network>();
    ASSERT_EQ(shell("ip link set lo up && ip link add to-node type veth peer name eth0 netns " +
                    node_->file() + " && ip link add to-client type veth peer name eth0 netns " +
                    client_->file() +
                    " && ip addr add 192.168.50.1/24 dev to-node && ip link set to-node up"
                    " && ip addr add 192.168.60.1/24 dev to-client && ip link set to-client up"),
              "");
    ASSERT_EQ(node_->shell("ip link set lo up && ip addr add 192.168.50.11/24 dev eth0 && "
                           "ip link set eth0 up && ip addr add 10.244.1.2/24 dev lo"),
              "");
    ASSERT_EQ(client_->shell("ip addr add 192.168.60.2/24 dev eth0 && ip link set eth0 up && "
                             "ip route add default via 192.168.60.1"),
              "");
    sandbox_ = std::make_unique<Sandbox>(
        std::vector<std::string>{"--nodes=0", "--controllers=*,-plugins"});
    const std::filesystem::path manifest = scratch_.path() / "manifest.yaml";
    write_file(manifest, kManifest);
    davit_ =
        sandbox_->davit({"--leader-elect=false", "--cluster-cidr=10.244.0.0/16",
                         "--route-reconciliation-period=1s", "--manifest=" + manifest.string()});
  }

  void create(const std::string& object) const {
    const Outcome made = sandbox_->kubectl({"create", "-f", "-"}, object);
    EXPECT_EQ(made.code, 0) << made.err;
  }
  [[nodiscard]] std::string get(const std::vector<std::string>& what) const {
    std::vector<std::string> argv = {"get"};
    argv.insert(argv.end(), what.begin(), what.end());
    return sandbox_->kubectl(argv).out;
  }
  [[nodiscard]] std::string address() const {
    return get({"service", "web", "-o=jsonpath={.status.loadBalancer.ingress[*].ip}"});
  }
  [[nodiscard]] static std::string routes() { return shell("ip route show proto 157"); }

  /// The text that the client reads from the Service's address, on which the gateway listens.
  [[nodiscard]] std::string ask(const std::string& service) const {
    const UniqueFd front(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const UniqueFd pod = node_->socket();
    if (!listen_at(front, service, kServicePort)) return "no address for the proxy";
    if (!listen_at(pod, kPod, kPodPort)) return "no address for the pod";
    const std::jthread pod_work([&] {
      const UniqueFd from = accept_from(pod);
      send_all(from, std::string("the pod at ") + kPod);
    });
    const std::jthread proxy_work([&] {
      const UniqueFd from = accept_from(front);
      const UniqueFd to(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(connect_to(to, kPod, kPodPort), 0) << "the gateway cannot reach the pod";
      send_all(from, read_all(to));
    });
    const UniqueFd asking = client_->socket();
    EXPECT_EQ(connect_to(asking, service, kServicePort), 0);
    return read_all(asking);
  }

  ScratchDir scratch_;
  std::unique_ptr<Network> node_;
  std::unique_ptr<Network> client_;
  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Process> davit_;
};

TEST_F(PoolAddressTest, AClientReachesAPodAtAnAddressFromAPool) {
  create(kNode);
  create(kService);
  ASSERT_TRUE(eventually(minutes(4), [&] { return !address().empty(); })) << davit_->output();
  ASSERT_TRUE(eventually(minutes(4), [&] { return routes().find(kRoute) != std::string::npos; }))
      << routes() << davit_->output();
  const std::string given = address();
  EXPECT_THAT(given, StartsWith("192.168.70.1"));
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return get({"node", "n1",
                "-o=jsonpath={.status.conditions[?(@.type==\"NetworkUnavailable\")].status}"}) ==
           "False";
  })) << davit_->output();

  ASSERT_EQ(shell("ip addr add " + given + "/32 dev lo"), "");
  EXPECT_EQ(ask(given), std::string("the pod at ") + kPod);

  // The route goes with the Node.
  EXPECT_EQ(sandbox_->kubectl({"delete", "node", "n1"}).code, 0);
  EXPECT_TRUE(eventually(minutes(4), [&] { return routes().empty(); })) << routes();
  const UniqueFd lost(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect_to(lost, kPod, kPodPort), ENETUNREACH);
  davit_->signal(SIGTERM);
  EXPECT_EQ(davit_->wait(minutes(4)), 0) << davit_->output();
}

}  // namespace
}  // namespace davit::live
