// The example dns_records.cpp in a whole host, with a DNS service on a real socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <thread>

#include "lib/base/mutex.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/temp_directory.hpp"
#include "tests/system/counting_transport.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

using testing::Gt;

ResourcePath service_path(const std::string& name) {
  return {"", "v1", "services", "", "default", name};
}

/// "True a.example.com: 198.18.0.1"; empty: no condition.
std::string published(const Json& service) {
  const Json* conditions = service.at({"status", "conditions"});
  if (conditions == nullptr) return "";
  for (const Json& each : conditions->items()) {
    if (each.text_at({"type"}) != "dns.davit.dev/Published") continue;
    return each.text_at({"status"}) + " " + each.text_at({"message"});
  }
  return "";
}

/// Whether the Service `name` has a condition that contains `text`.
WholeHost::Done condition_has(const std::string& name, const std::string& text) {
  return [name, text](WatchType, const Json& each) {
    return each.text_at({"metadata", "name"}) == name &&
           (published(each) + "\n").find(text) != std::string::npos;
  };
}

class DnsRecordsInHostTest : public testing::Test, protected WholeHost {
 protected:
  void start(const std::string& server, Transport* way = nullptr) {
    const std::filesystem::path manifest = directory_.write("davit.yaml",
                                                            R"(apiVersion: davit.dev/v1alpha1
kind: ControllerHost
plugins:
  - path: )" DAVIT_EXAMPLE_DIRECTORY R"(/dns-records.so
    controllers:
      dns-records-controller:
        config: {token: t0p-s3cret, server: ")" + server + "\"}\n");
    WholeHost::start({.directories = {}, .controllers = {"*"}, .manifest = manifest.string()}, way);
  }
  /// The version of the object.
  std::string create(const std::string& name, const std::string& address) {
    const Json made =
        send(Verb::kCreate, service_path(""),
             R"({"metadata":{"name":")" + name + R"(","annotations":{"dns.davit.dev/name":")" +
                 name + R"(.example.com"}},"spec":{"ports":[{"port":80}],"externalIPs":[")" +
                 address + R"("]}})");
    return made.text_at({"metadata", "resourceVersion"});
  }

  TempDirectory directory_;
};

/// Counts the requests, by method, path and body, and confirms them.
class CountingDns {
 public:
  [[nodiscard]] std::string url() const { return server_.url(); }
  [[nodiscard]] std::map<std::string, int> requests() const {
    const MutexLock lock(mutex_);
    return requests_;
  }

 private:
  void serve(Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      const std::string line = request.substr(0, request.find(" HTTP/"));
      const std::string body = request.substr(request.find("\r\n\r\n") + 4);
      {
        const MutexLock lock(mutex_);
        ++requests_[line + " " + body];
      }
      peer.respond("", "201 Created");
    }
  }

  mutable Mutex mutex_;
  std::map<std::string, int> requests_ GUARDED_BY(mutex_);
  TinyServer server_{[this](Peer& peer) { serve(peer); }};
};

TEST_F(DnsRecordsInHostTest, AHundredSwapsRepeatNoConfirmedRequestAndListNothing) {
  constexpr int kServices = 10;
  constexpr int kSwaps = 100;
  constexpr int kChangesPerSwap = 3;
  const CountingDns dns;
  CountingTransport way(transport());
  start(dns.url(), &way);
  std::vector<std::string> addresses;
  int next = 0;
  const auto fresh = [&next] {  // No address comes twice, so no request needs to.
    ++next;
    return "198.18." + std::to_string(next / 250) + "." + std::to_string(next % 250 + 1);
  };
  for (int i = 0; i < kServices; ++i) {
    create("s" + std::to_string(i), addresses.emplace_back(fresh()));
  }
  const auto expect_all_published = [&] {
    for (int i = 0; i < kServices; ++i) {
      await(service_path(""), condition_has("s" + std::to_string(i), " " + addresses[i] + "\n"));
    }
  };
  expect_all_published();
  const int lists = way.lists();

  for (int i = 0; i < kSwaps; ++i) {
    std::jthread changes([&] {
      for (int k = 0; k < kChangesPerSwap; ++k) {
        const std::size_t chosen = static_cast<std::size_t>(next) % kServices;
        addresses[chosen] = fresh();
        send(Verb::kPatch, service_path("s" + std::to_string(chosen)),
             R"({"spec":{"externalIPs":[")" + addresses[chosen] + R"("]}})");
      }
    });
    const SwapReport report = host().plugins().swap({"dns-records", ""});
    ASSERT_TRUE(report.ok()) << i << ": " << report.text;
    ASSERT_EQ(report.resident, "") << i;
  }
  expect_all_published();
  const std::map<std::string, int> requests = dns.requests();
  stop();

  EXPECT_EQ(way.lists(), lists) << "a swap lists nothing";
  EXPECT_THAT(requests.size(), Gt(static_cast<std::size_t>(kServices + kSwaps)));
  for (const auto& [request, count] : requests) EXPECT_EQ(count, 1) << request;
}

/// Misbehaves once for each record that is named after a misbehaviour, and always for "hang".
class HostileDns {
 public:
  [[nodiscard]] std::string url() const { return server_.url(); }
  [[nodiscard]] std::size_t connections_elsewhere() { return elsewhere_.connections(); }

 private:
  bool is_first(const std::string& name) {
    const MutexLock lock(mutex_);
    return seen_.insert(name).second;
  }
  void serve(Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      const std::size_t at = request.find("/records/") + 9;
      const std::string name = request.substr(at, request.find('.', at) - at);
      if (name == "hang") {
        peer.read_request();  // Until the client closes.
        return;
      }
      if (name == "fine" || !is_first(name)) {
        peer.respond("{}");
      } else if (name == "short") {
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}");
        return;
      } else if (name == "elsewhere") {
        peer.write("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + elsewhere_.url() +
                   "/\r\nContent-Length: 0\r\n\r\n");
      } else {
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n");
        const std::string piece(64 * 1024, 'x');
        while (peer.write(piece)) {
        }
        return;
      }
    }
  }

  Mutex mutex_;
  std::set<std::string> seen_ GUARDED_BY(mutex_);
  TinyServer elsewhere_{[](Peer& peer) { peer.respond("{}"); }};
  TinyServer server_{[this](Peer& peer) { serve(peer); }};
};

TEST_F(DnsRecordsInHostTest, HostileServiceIsReportedAndHurtsOnlyItsRecord) {
  HostileDns dns;
  start(dns.url());
  const std::string version = create("hang", "198.18.0.9");
  for (const char* name : {"short", "elsewhere", "huge", "fine"}) create(name, "198.18.0.1");

  for (const char* name : {"short", "elsewhere", "huge", "fine"}) {
    await(service_path(""), condition_has(name, "True "), version);
  }
  await(service_path(""), condition_has("elsewhere", "responds with 307"), version);
  await(service_path(""), condition_has("huge", "larger than 65536 bytes"), version);
  EXPECT_EQ(dns.connections_elsewhere(), 0u);
  stop();  // Cancels the request that hangs.
}

}  // namespace
}  // namespace davit::host
