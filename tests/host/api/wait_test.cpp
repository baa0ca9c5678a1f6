#include "host/api/wait.hpp"

#include <gmock/gmock.h>

#include "tests/host/api/rest_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WaitTest : public RestTest {
 protected:
  Status wait(const std::vector<Duration>& steps = {}, std::stop_token stop = {}) {
    RestClient rest = client();
    return with_steps(steps, [&] { return wait_for_api_server(rest, clock_, stop); });
  }
};

TEST_F(WaitTest, HealthyServerEndsTheWaitAtOnce) {
  transport_.respond(response_of(200, "ok"));
  EXPECT_TRUE(wait().ok());
  EXPECT_EQ(transport_.requests()[0].target, "/healthz");
}

TEST_F(WaitTest, ServerThatComesUpIsWaitedFor) {
  transport_.respond(test::broken(Break::kRefused));
  transport_.respond(response_of(500, "[-]etcd failed"));
  transport_.respond(response_of(200, "ok"));
  EXPECT_TRUE(wait({seconds(1), seconds(1)}).ok());
}

TEST_F(WaitTest, TenSecondsAreEnough) {
  transport_.set_script(
      [](const HttpRequest&) { return test::broken(Break::kRefused, "refused"); });
  const Status status = wait(std::vector<Duration>(9, seconds(1)));
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("cannot reach the API server at https://fake:6443"),
                                      HasSubstr("refused"), Not(HasSubstr("\n"))));
  EXPECT_EQ(transport_.requests().size(), 10u);
}

TEST_F(WaitTest, WrongCertificateIsReportedAtOnce) {
  transport_.respond(test::broken(Break::kTls, "self-signed certificate"));
  EXPECT_THAT(wait().message(),
              AllOf(HasSubstr("certificate-authority"), HasSubstr("https://fake:6443")));
}

TEST_F(WaitTest, ExpiredTokenIsReportedAtOnceWithWhatToDo) {
  transport_.respond(response_of(401, ""));
  const Status status = wait();
  EXPECT_EQ(status.code(), Code::kForbidden);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("https://fake:6443"), HasSubstr("expired"),
                                      HasSubstr("log in again")));
}

TEST_F(WaitTest, MissingRightIsReportedAtOnce) {
  transport_.respond(response_of(403, "no", ""));
  EXPECT_THAT(wait().message(), AllOf(HasSubstr("https://fake:6443"), HasSubstr("RBAC")));
}

TEST_F(WaitTest, OtherServersAreRecognised) {
  transport_.respond(response_of(404, "<html>nginx</html>"));
  EXPECT_THAT(wait().message(), HasSubstr("no Kubernetes API server seems to be at"));
  transport_.respond(response_of(200, "<html>welcome</html>"));
  const Status welcome = wait();
  EXPECT_EQ(welcome.code(), Code::kUnsupported);
  EXPECT_THAT(welcome.message(), HasSubstr("no Kubernetes API server seems to be at"));
  transport_.respond(test::broken(Break::kOther, "Received HTTP/0.9 when not allowed"));
  EXPECT_THAT(wait({}).message(), HasSubstr("no Kubernetes API server seems to be at"));
}

TEST_F(WaitTest, HealthReportIsCutDownToWhatFailed) {
  ApiResponse sick;
  sick.http_status = 500;
  sick.body = "[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\nhealthz check failed\n";
  EXPECT_EQ(explain_first_contact(sick, "https://fake:6443"),
            "the API server at https://fake:6443 is not healthy: [-]etcd failed: reason withheld; "
            "look at its log (HTTP 500)");
}

TEST_F(WaitTest, StopEndsTheWait) {
  transport_.set_script([](const HttpRequest&) { return test::broken(Break::kRefused); });
  RestClient rest = client();
  std::stop_source stop;
  auto result = std::async(std::launch::async,
                           [&] { return wait_for_api_server(rest, clock_, stop.get_token()); });
  clock_.await_waiters(1);
  stop.request_stop();
  EXPECT_EQ(result.get().code(), Code::kCancelled);
}

}  // namespace
}  // namespace davit::host
