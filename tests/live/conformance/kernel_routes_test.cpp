/// Routes of `pools` in the kernel of a network namespace. Needs root. Ids: docs/spec/cloud.md.
#include "plugins/pools/kernel_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugins/pools/pools_controller.hpp"

namespace davit::pools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The output of a command, and "failed" behind it if it fails.
std::string shell(const std::string& command) {
  const auto close = [](FILE* pipe) { return ::pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(
      ::popen((command + " 2>&1 || echo failed").c_str(), "r"), close);
  std::string out;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) out += buffer.data();
  return out;
}

/// A network namespace of this program's own, with the machine 192.168.1.1 and fd00::1, and a
/// point-to-point address.
bool make_network() {
  static const bool made =
      ::unshare(CLONE_NEWNET) == 0 &&
      shell(
          "ip link add v0 type veth peer name v1 && ip link set v1 up && "
          "ip addr add 192.168.1.1/24 dev v0 && "
          "ip -6 addr add fd00::1/64 dev v0 nodad && "
          "ip addr add 192.168.9.1 peer 192.168.9.2/32 dev v0 && "
          "ip link set v0 up && timeout 60 sh -c "
          "'until ip -6 route show fd00::/64 | grep -q v0; do sleep 0.1; done'")
          .empty();
  return made;
}

class KernelRoutesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!make_network()) GTEST_SKIP() << "no network namespace can be made here";
    shell("ip route flush proto 157; ip -6 route flush proto 157");
  }
  static RouteTarget target(const std::string& name, const std::string& address,
                            const std::string& cidr) {
    return {name, {{"InternalIP", address}}, {cidr}};
  }
  [[nodiscard]] Status create(const RouteTarget& to, const std::string& destination) {
    const CloudRoute route{
        .name = "", .node = to.name, .destination = destination, .addresses = to.addresses};
    return routes_.create({"kubernetes", "uid", route}).status;
  }
  [[nodiscard]] Status remove(const std::string& destination) {
    return routes_.remove({"kubernetes", "", {.name = "", .node = "", .destination = destination}})
        .status;
  }
  /// "10.244.1.0/24 n1", …
  [[nodiscard]] std::string listed() {
    const CloudReply reply = routes_.list("kubernetes");
    EXPECT_TRUE(reply.status.ok()) << reply.status.message();
    return reply.text.value_or("");
  }
  using Targets = Result<std::vector<RouteTarget>>;
  using Everyone = Result<std::vector<KernelRoute>>;
  static std::string shown() { return shell("ip route show proto 157"); }

  std::vector<RouteTarget> targets_{
      target("n1", "192.168.1.11", "10.244.1.0/24"), target("n2", "192.168.1.12", "10.244.2.0/24"),
      target("own", "192.168.1.1", "10.244.3.0/24"), target("six", "fd00::11", "fd00:1::/64")};
  KernelRoutes routes_{RouteSettings{.kind = RouteKind::kKernel}, [this] { return targets_; }};
};

TEST_F(KernelRoutesTest, CLD164_TheKernelHasARouteForEachNode) {
  ASSERT_TRUE(create(targets_[0], "10.244.1.0/24").ok());
  ASSERT_TRUE(create(targets_[1], "10.244.2.0/24").ok());
  EXPECT_THAT(shown(), HasSubstr("10.244.1.0/24 via 192.168.1.11 dev v0"));
  EXPECT_THAT(shown(), HasSubstr("10.244.2.0/24 via 192.168.1.12 dev v0"));
  EXPECT_THAT(listed(), HasSubstr(R"("targetNode":"n1")"));
  EXPECT_THAT(listed(), HasSubstr(R"("destinationCIDR":"10.244.2.0/24")"));
  EXPECT_TRUE(create(targets_[0], "10.244.1.0/24").ok()) << "it is there";

  EXPECT_TRUE(remove("10.244.1.0/24").ok());
  EXPECT_TRUE(remove("10.244.1.0/24").ok()) << "there is none";
  EXPECT_THAT(shown(), ::testing::Not(HasSubstr("10.244.1.0/24")));
  EXPECT_THAT(shown(), HasSubstr("10.244.2.0/24"));
}

TEST_F(KernelRoutesTest, CLD164_ARouteOfSomebodyElseStays) {
  ASSERT_EQ(shell("ip route add 10.244.1.0/24 via 192.168.1.99 metric 7"), "");
  EXPECT_EQ(create(targets_[0], "10.244.1.0/24").message(),
            "a route to 10.244.1.0/24 exists already, of protocol 3");
  EXPECT_TRUE(remove("10.244.1.0/24").ok());
  EXPECT_THAT(shell("ip route show 10.244.1.0/24"), HasSubstr("via 192.168.1.99"));
  EXPECT_EQ(listed(), "[]");
  EXPECT_EQ(shell("ip route del 10.244.1.0/24"), "");
}

TEST_F(KernelRoutesTest, CLD164_ARouteOfSomebodyElseThatAPassHasFoundStaysToo) {
  ASSERT_EQ(shell("ip route add 10.244.1.0/24 via 192.168.1.99 metric 7"), "");
  EXPECT_EQ(listed(), "[]");
  EXPECT_EQ(create(targets_[0], "10.244.1.0/24").message(),
            "a route to 10.244.1.0/24 exists already, of protocol 3");
  EXPECT_TRUE(create(targets_[1], "10.244.2.0/24").ok());
  EXPECT_TRUE(create(targets_[1], "10.244.2.0/24").ok()) << "the same pass has made it";
  EXPECT_TRUE(remove("10.244.2.0/24").ok());
  EXPECT_TRUE(create(targets_[0], "10.244.2.0/24").ok()) << "the same pass has removed it";
  EXPECT_THAT(shown(), HasSubstr("10.244.2.0/24 via 192.168.1.11"));
  EXPECT_EQ(shell("ip route del 10.244.1.0/24"), "");
}

TEST_F(KernelRoutesTest, RoutesOfOtherTablesAndProtocolsAreNotListed) {
  ASSERT_EQ(shell("ip route add 10.244.1.0/24 via 192.168.1.11 proto 157 table 77 && "
                  "ip route add 10.244.2.0/24 via 192.168.1.12 proto 158"),
            "");
  EXPECT_EQ(listed(), "[]");
  KernelRoutes elsewhere(RouteSettings{.kind = RouteKind::kKernel, .table = 4711, .protocol = 157},
                         [this] { return targets_; });
  EXPECT_EQ(elsewhere.list("kubernetes").text.value_or(""), "[]") << "there is no such table";
  EXPECT_EQ(shell("ip route flush table 77; ip route flush proto 158"), "");
}

TEST_F(KernelRoutesTest, EachOfTheRoutesToOneDestinationIsRemoved) {
  ASSERT_EQ(shell("ip route add 10.244.1.0/24 via 192.168.1.11 proto 157 metric 1 && "
                  "ip route add 10.244.1.0/24 via 192.168.1.12 proto 157 metric 2 && "
                  "ip route add 10.244.1.0/24 via 192.168.1.99 metric 3"),
            "");
  EXPECT_TRUE(remove("10.244.1.0/24").ok());
  EXPECT_EQ(shown(), "");
  EXPECT_THAT(shell("ip route show 10.244.1.0/24"), HasSubstr("via 192.168.1.99"));
  EXPECT_EQ(shell("ip route del 10.244.1.0/24"), "");
}

TEST_F(KernelRoutesTest, RoutesOfIPv6AreSet) {
  ASSERT_TRUE(create(targets_[3], "fd00:1::/64").ok());
  EXPECT_THAT(shell("ip -6 route show proto 157"), HasSubstr("fd00:1::/64 via fd00::11"));
  EXPECT_THAT(listed(), HasSubstr(R"("targetNode":"six")"));
  EXPECT_TRUE(remove("fd00:1::/64").ok());
  EXPECT_EQ(shell("ip -6 route show proto 157"), "");
}

TEST_F(KernelRoutesTest, ANextHopThatIsNotOnTheLinkIsRefused) {
  EXPECT_EQ(create(target("far", "203.0.113.9", "10.244.9.0/24"), "10.244.9.0/24").message(),
            "203.0.113.9 cannot be reached directly");
  EXPECT_EQ(create(target("none", "fd00::9", "10.244.9.0/24"), "10.244.9.0/24").message(),
            "node none has no address of the family of 10.244.9.0/24");
}

TEST_F(KernelRoutesTest, TheMachinesOwnPodsNeedNoRoute) {
  ASSERT_TRUE(create(targets_[2], "10.244.3.0/24").ok());
  EXPECT_EQ(shown(), "");
  EXPECT_THAT(listed(), HasSubstr(R"("targetNode":"own")"));
  EXPECT_TRUE(remove("10.244.3.0/24").ok());
  EXPECT_EQ(listed(), "[]");
}

TEST_F(KernelRoutesTest, TheMachinesOwnPodsNeedARouteOnceTheMachineHasLostTheirAddress) {
  ASSERT_EQ(shell("ip addr add 192.168.1.7/24 dev v0"), "");
  const RouteTarget moved = target("moved", "192.168.1.7", "10.244.7.0/24");
  targets_.push_back(moved);
  ASSERT_TRUE(create(moved, "10.244.7.0/24").ok());
  ASSERT_THAT(listed(), HasSubstr(R"("targetNode":"moved")"));
  ASSERT_EQ(shell("ip addr del 192.168.1.7/24 dev v0"), "");
  EXPECT_EQ(listed(), "[]") << "the loop makes it again";
  ASSERT_TRUE(create(moved, "10.244.7.0/24").ok());
  EXPECT_THAT(shown(), HasSubstr("10.244.7.0/24 via 192.168.1.7"));
}

TEST_F(KernelRoutesTest, TheOtherEndOfAPointToPointLinkIsAnotherMachine) {
  const RouteTarget peer = target("peer", "192.168.9.2", "10.244.5.0/24");
  targets_.push_back(peer);
  ASSERT_TRUE(create(peer, "10.244.5.0/24").ok());
  EXPECT_THAT(shown(), HasSubstr("10.244.5.0/24 via 192.168.9.2"));
  EXPECT_TRUE(remove("10.244.5.0/24").ok());
  ASSERT_TRUE(create(target("end", "192.168.9.1", "10.244.6.0/24"), "10.244.6.0/24").ok());
  EXPECT_EQ(shown(), "") << "the own end";
}

TEST_F(KernelRoutesTest, ADestinationIsListedAsItsNodeHasIt) {
  targets_.push_back(target("odd", "fd00::12", "fd00:2:0::/64"));
  targets_.push_back(target("low", "192.168.1.14", "10.244.4.7/24"));
  ASSERT_TRUE(create(targets_[4], "fd00:2:0::/64").ok());
  ASSERT_TRUE(create(targets_[5], "10.244.4.7/24").ok());
  EXPECT_THAT(shown(), HasSubstr("10.244.4.0/24 via 192.168.1.14"));
  EXPECT_THAT(listed(), HasSubstr(R"("destinationCIDR":"fd00:2:0::/64")"));
  EXPECT_THAT(listed(), HasSubstr(R"("targetNode":"odd")"));
  EXPECT_THAT(listed(), HasSubstr(R"("destinationCIDR":"10.244.4.7/24")"));
  EXPECT_THAT(listed(), HasSubstr(R"("targetNode":"low")"));
  EXPECT_TRUE(remove("fd00:2:0::/64").ok());
  EXPECT_TRUE(remove("10.244.4.7/24").ok());
  EXPECT_EQ(listed(), "[]");
}

TEST_F(KernelRoutesTest, ARouteWhoseNodeIsGoneHasNoTarget) {
  ASSERT_TRUE(create(targets_[0], "10.244.1.0/24").ok());
  targets_.clear();
  EXPECT_THAT(listed(), HasSubstr(R"("destinationCIDR":"10.244.1.0/24")"));
  EXPECT_THAT(listed(), ::testing::Not(HasSubstr("targetNode")));
}

TEST_F(KernelRoutesTest, WithoutTheNodesNoRouteIsListed) {
  KernelRoutes routes(RouteSettings{.kind = RouteKind::kKernel},
                      []() -> Targets { return Status(Code::kUnavailable, "no cache"); });
  EXPECT_EQ(routes.list("kubernetes").status.message(), "no cache");
}

TEST_F(KernelRoutesTest, CLD177_ALookAtTheRoutesOfOthersThatFailsStopsNoRemoval) {
  ASSERT_TRUE(create(targets_[0], "10.244.1.0/24").ok());
  bool fails = true;
  KernelRoutes routes(
      RouteSettings{.kind = RouteKind::kKernel}, [this] { return targets_; },
      [&fails](Netlink& kernel, const Netlink::Choice& choice) {
        if (fails) return Everyone(Status(Code::kUnavailable, "no answer"));
        return kernel.routes(choice);
      });
  const CloudReply reply = routes.list("kubernetes");
  ASSERT_TRUE(reply.status.ok()) << reply.status.message();
  EXPECT_THAT(reply.text.value_or(""), HasSubstr(R"("targetNode":"n1")"));
  const CloudRoute wanted{
      .name = "", .node = "n2", .destination = "10.244.2.0/24", .addresses = targets_[1].addresses};
  EXPECT_EQ(routes.create({"kubernetes", "uid", wanted}).status.message(), "no answer");
  EXPECT_EQ(shown().find("10.244.2.0/24"), std::string::npos);
  fails = false;
  ASSERT_EQ(shell("ip route add 10.244.2.0/24 via 192.168.1.99 metric 7"), "");
  EXPECT_EQ(routes.create({"kubernetes", "uid", wanted}).status.message(),
            "a route to 10.244.2.0/24 exists already, of protocol 3");
  EXPECT_EQ(shell("ip route del 10.244.2.0/24"), "");
}

TEST_F(KernelRoutesTest, ManyRoutesAreListed) {
  constexpr int kRoutes = 1000;
  std::string batch = "for i in $(seq 0 249); do for j in 0 64 128 192; do ";
  batch += "echo route add 10.250.$i.$j/26 via 192.168.1.11 proto 157; done; done | ip -batch -";
  ASSERT_EQ(shell(batch), "");
  const std::string all = listed();
  int count = 0;
  for (std::size_t at = all.find("10.250."); at != all.npos; at = all.find("10.250.", at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 2 * kRoutes) << "a name and a destination each";
}

TEST_F(KernelRoutesTest, InAUserNamespaceThatDoesNotOwnTheNetworkRoutesAreForbidden) {
  // Only a process with one thread may make such a namespace.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER) != 0) ::_exit(2);
    if (!check_network_rights().ok()) ::_exit(3);
    const Status said = create(targets_[0], "10.244.1.0/24");
    const bool says_why = said.message().find("CAP_NET_ADMIN") != std::string::npos;
    ::_exit(said.code() == Code::kForbidden && says_why ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFEXITED(state));
  if (WEXITSTATUS(state) == 2) GTEST_SKIP() << "no user namespace can be made here";
  EXPECT_EQ(WEXITSTATUS(state), 0);
  EXPECT_EQ(shown(), "");
}

TEST(NetworkRightsTest, CLD165_WithoutTheCapabilityTheStartFails) {
  Status said;
  // The rights of a thread are its own.
  std::jthread([&said] {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
    ASSERT_EQ(::syscall(SYS_capget, &head, data.data()), 0);
    data.front().effective &= ~(1U << unsigned{CAP_NET_ADMIN});
    ASSERT_EQ(::syscall(SYS_capset, &head, data.data()), 0);
    said = check_network_rights();
  }).join();
  EXPECT_EQ(said.code(), Code::kForbidden);
  EXPECT_THAT(said.message(), HasSubstr("CAP_NET_ADMIN"));
}

}  // namespace
}  // namespace davit::pools
