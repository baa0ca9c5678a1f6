/// `davit run` whose plugin has a health check and a page that hang.
#include <gmock/gmock.h>

#include "tests/cli/run_fixture.hpp"
#include "tests/support/http_client.hpp"

namespace davit::host {
namespace {

using test::http_get;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class RunProbeTest : public RunTest {
 protected:
  RunProbeTest() { run_plugin("probes_hang", "probes"); }

  /// From the log: "Serving health and metrics" address="127.0.0.1:41234".
  static std::uint16_t port(Program& davit) {
    const std::string before = "127.0.0.1:";
    davit.await("Listening for davit ctl");  // It has started.
    const std::size_t line = davit.said().find("Serving health and metrics");
    const std::size_t at = davit.said().find(before, line);
    if (at == std::string::npos) return 0;
    return static_cast<std::uint16_t>(std::stoul(davit.said().substr(at + before.size())));
  }
  /// Asks until the response contains `text` or the connection fails. The well controller is given
  /// half a second, within which a busy machine may not let it respond; it does so the next time.
  static std::string get_with(std::uint16_t port, const std::string& target,
                              const std::string& text) {
    std::string page;
    do {
      page = http_get(port, target);
    } while (!page.empty() && page.find(text) == std::string::npos);
    return page;
  }
};

TEST_F(RunProbeTest, HangingHealthAndDebugDelayNeitherOtherProbesNorTheEnd) {
  std::vector<std::string> all = with_server();
  all.insert(all.end(), {"-v=1", "--control-socket=" + (directory_.path() / "ctl").string()});
  Program davit(all);
  const std::uint16_t health = port(davit);
  ASSERT_NE(health, 0) << davit.said();

  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(get_with(health, "/readyz?verbose", "[+]well-controller ok"),
                AllOf(StartsWith("HTTP/1.1 500"),
                      HasSubstr("[-]hanging-controller failed: reason withheld")));
    EXPECT_THAT(http_get(health, "/debug/controllers/hanging-controller"),
                HasSubstr("the plugin has not responded"));
  }
  EXPECT_THAT(http_get(health, "/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get_with(health, "/readyz/well-controller", "200 OK"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get_with(health, "/debug/controllers/well-controller", "a page"),
              StartsWith("HTTP/1.1 200"));

  davit.terminate();
  EXPECT_EQ(davit.wait(), 1);
  EXPECT_THAT(davit.said(), HasSubstr("A health check or debug page of a plugin has not returned"));
}

}  // namespace
}  // namespace davit::host
