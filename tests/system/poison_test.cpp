// Unreadable objects, in a cluster where all others keep working.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/completed.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The text that replaces each mark. A server would never send it, and would not store it: a mark
/// is one byte, so that it cannot be cut, within the value of an annotation or, in pods, of a
/// label: caches do not read what no controller has declared.
struct Poison {
  char mark;
  std::string text;
  bool pods_only = false;
};

const std::vector<Poison>& poisons() {
  static const std::vector<Poison> all = {
      {'~', "\xff"},
      {'^', R"("},"x":)" + std::string(200, '[') + std::string(200, ']') + R"(,"y":{"z":")"},
      {'|', R"("},"ownerReferences":{"z":")"},
      {'`', std::string(kObjectBytesMax, 'x')},
      {'Q', "\xff", true},
  };
  return all;
}

std::string poisoned(std::string_view chunk, bool is_pods) {
  std::string body(chunk);
  for (const Poison& each : poisons()) {
    if (each.pods_only && !is_pods) continue;
    const std::size_t at = body.find(each.mark);
    if (at != body.npos) {
      return poisoned(body.substr(0, at), is_pods) + each.text +
             poisoned(std::string_view(body).substr(at + 1), is_pods);
    }
  }
  return body;
}

/// Hands on a body with its poison in pieces of the size that a connection has.
class PoisonedReader final : public ResponseReader {
 public:
  PoisonedReader(ResponseReader& to, bool is_pods) : to_(to), is_pods_(is_pods) {}
  void on_head(int status, const HttpHeaders& headers) override { to_.on_head(status, headers); }
  void on_end(const TransportEnd& end) override { to_.on_end(end); }
  Flow on_body(std::string_view chunk) override {
    constexpr std::size_t kPiece = std::size_t{16} << 10;
    if (taken_ == 0) body_ = poisoned(chunk, is_pods_);
    while (taken_ < body_.size()) {
      const std::string_view piece = std::string_view(body_).substr(taken_, kPiece);
      if (to_.on_body(piece) == Flow::kPause) return Flow::kPause;
      taken_ += piece.size();
    }
    taken_ = 0;
    return Flow::kMore;
  }

 private:
  ResponseReader& to_;
  const bool is_pods_;
  std::string body_;       // The present chunk's,
  std::size_t taken_ = 0;  // and how much of it was taken: it comes again after a pause.
};

struct PoisonedCall final : Call {
  PoisonedCall(ResponseReader& to, bool is_pods) : reader(to, is_pods) {}
  void resume() override { call->resume(); }
  PoisonedReader reader;
  std::unique_ptr<Call> call;  // Ends before its reader.
};

/// Poisons what informers get.
class PoisonedTransport final : public Transport {
 public:
  explicit PoisonedTransport(Transport& way) : way_(way) {}
  std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    if (request.purpose != ConnectionPurpose::kWatch) return way_.start(std::move(request), reader);
    // Most of the poison is text. In protobuf a mark would only change a length.
    for (auto& [name, value] : request.headers) {
      if (name == "Accept") value = "application/json";
    }
    const bool is_pods = request.target.starts_with("/api/v1/pods");
    auto call = std::make_unique<PoisonedCall>(reader, is_pods);
    call->call = way_.start(std::move(request), call->reader);
    return call;
  }
  [[nodiscard]] std::string_view server() const override { return way_.server(); }

 private:
  Transport& way_;
};

std::string deployment_json(const std::string& name, const std::string& mark,
                            const std::string& pod_mark = "") {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
         R"(","annotations":{"mark":")" + mark + R"("}},"spec":{"replicas":2,"selector":)" +
         R"({"matchLabels":{"app":")" + name + R"("}},"template":{"metadata":{"labels":{"app":")" +
         name + R"(","mark":")" + pod_mark + R"("}},"spec":{"containers":)" +
         R"([{"name":"web","image":"web:1"}]}}}})";
}

ResourcePath events() { return {"", "v1", "events", "", "default", ""}; }

WholeHost::Done says(const std::string& object, const std::string& reason) {
  return [object, reason](WatchType, const Json& event) {
    return event.text_at({"involvedObject", "name"}).starts_with(object) &&
           event.text_at({"reason"}) == reason;
  };
}

class PoisonTest : public ::testing::Test {
 protected:
  void TearDown() override { system_.stop(); }  // Before its transport goes.

  void start() {
    system_.start({{DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY},
                   {"deployment-controller", "replicaset-controller"}},
                  &transport_);
  }
  void create(const std::string& name, const std::string& mark, const std::string& pod_mark = "") {
    system_.send(Verb::kCreate, deployment(""), deployment_json(name, mark, pod_mark));
  }
  std::string page(const std::string& target) {
    HttpServerRequest request;
    request.method = "GET";
    request.target = target;
    return test::completed(system_.host().checks().respond(request)).body;
  }

  WholeHost system_{3};
  PoisonedTransport transport_{system_.transport()};
};

TEST_F(PoisonTest, RolloutsContinueBesideUnreadableObjects) {
  create("utf8-listed", "~");
  create("deep-listed", "^");
  create("type-listed", "|");
  create("huge-listed", "`");
  start();
  system_.send(Verb::kCreate, deployment(""), web_deployment(5));
  system_.await(deployment(""), rolled_out(5));
  create("utf8-watched", "~");
  create("deep-watched", "^");
  create("type-watched", "|");
  create("huge-watched", "`");
  system_.send(Verb::kPatch, deployment("web"), kSecondImage);
  system_.await(deployment(""), rolled_out(5));
  expect_second_image(system_, 5);

  for (const std::string sort : {"utf8", "deep", "type", "huge"}) {
    for (const std::string when : {"-listed", "-watched"}) {
      system_.await(events(), says(sort + when, "ObjectSkipped"));
    }
  }
  system_.host().tick();
  EXPECT_THAT(page("/readyz?verbose"),
              AllOf(HasSubstr("[+]informer-freshness ok"), HasSubstr("readyz check passed"),
                    HasSubstr("[!]caches details withheld\n")));
  ASSERT_EQ(system_.host().checks().notes().size(), 1U);
  EXPECT_THAT(system_.host().checks().notes().front().text,
              HasSubstr("deployments.apps lacks, or holds in an older state, 8 that cannot be "
                        "read: default/deep-listed (JSON is nested too deeply"));
}

TEST_F(PoisonTest, PodsThatCannotBeReadAreNotReplaced) {
  start();
  create("storm", "", "Q");
  system_.await(events(), says("storm-", "SuccessfulCreate"));
  system_.stop();

  start();  // Without expectations that would hold the ReplicaSet back.
  const Json event = system_.await(events(), says("storm-", "FailedCreate"));
  EXPECT_THAT(event.text_at({"message"}), HasSubstr("has the same controlling owner and cannot be "
                                                    "read"));
  EXPECT_LE(system_.read("/api/v1/namespaces/default/pods").get("items").size(), 2U);
}

}  // namespace
}  // namespace davit::host
