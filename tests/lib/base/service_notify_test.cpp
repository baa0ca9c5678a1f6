#include "lib/base/service_notify.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "tests/support/temp_directory.hpp"

namespace davit {
namespace {

/// A service manager's end: a datagram socket with this address.
class Manager {
 public:
  explicit Manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  /// The next message; "" when there is none.
  [[nodiscard]] std::string received() const {
    std::array<char, 100> text{};
    const ssize_t size = ::recv(fd_.get(), text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
  }

 private:
  const UniqueFd fd_;
};

TEST(ServiceNotifyTest, ManagerHearsOfEachState) {
  const host::TempDirectory directory;
  const std::string abstract = "@davit-test-" + std::to_string(::getpid());
  for (const std::string& name : {(directory.path() / "notify").string(), abstract}) {
    const Manager manager(name);
    const ServiceNotify notify(name);

    notify.ready();
    notify.alive();
    notify.stopping();

    EXPECT_EQ(manager.received(), "READY=1");
    EXPECT_EQ(manager.received(), "WATCHDOG=1");
    EXPECT_EQ(manager.received(), "STOPPING=1");
    EXPECT_EQ(manager.received(), "");
  }
}

TEST(ServiceNotifyTest, WithoutAManagerNothingHappens) {
  for (const std::string& name : {std::string(), std::string("relative"), std::string("/no/such"),
                                  "/" + std::string(500, 'x')}) {
    ServiceNotify(name).ready();
  }
}

}  // namespace
}  // namespace davit
