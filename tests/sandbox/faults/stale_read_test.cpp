#include "sandbox/faults/stale_read.hpp"

#include <gtest/gtest.h>

#include "tests/sandbox/faults/fake_server.hpp"

namespace davit::sandbox {
namespace {

RequestFacts request_facts(std::string verb) {
  RequestFacts out;
  out.verb = std::move(verb);
  out.resource = "pods";
  out.name = out.verb == "get" ? "p" : "";
  return out;
}

struct QuestionCase {
  const char* name;
  const char* verb;
  const char* target;
  const char* question;
};

constexpr QuestionCase kQuestions[] = {
    {"Get", "get", "/api/v1/namespaces/a/pods/p",
     "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp&resourceVersionMatch=Exact&"
     "resourceVersion=5"},
    {"GetFromACache", "get", "/api/v1/namespaces/a/pods/p?resourceVersion=0",
     "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp&resourceVersionMatch=Exact&"
     "resourceVersion=5"},
    {"List", "list", "/api/v1/pods?limit=5&labelSelector=a%3Db",
     "/api/v1/pods?limit=5&labelSelector=a%3Db&resourceVersionMatch=Exact&resourceVersion=5"},
    {"ListThatIsNotOlderThan", "list",
     "/api/v1/pods?resourceVersion=9&resourceVersionMatch=NotOlderThan",
     "/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=5"},
};

TEST(StaleReadTest, QuestionIsAnExactList) {
  for (const QuestionCase& each : kQuestions) {
    const auto question = stale_question(request("GET", each.target), request_facts(each.verb), 5);
    ASSERT_TRUE(question) << each.name;
    EXPECT_EQ(question->target, each.question) << each.name;
  }
}

TEST(StaleReadTest, NextPageOfAListStaysAsItIs) {
  const RequestFacts list = request_facts("list");
  EXPECT_FALSE(stale_question(request("GET", "/api/v1/pods?limit=5&continue=abc"), list, 5));
  EXPECT_TRUE(stale_question(request("GET", "/api/v1/pods?limit=5&continue="), list, 5));
}

std::string respond(std::string body) {
  HttpServerResponse list;
  list.body = std::move(body);
  return stale_response(std::move(list), request_facts("get")).body;
}

TEST(StaleReadTest, ObjectIsTakenOutOfItsList) {
  EXPECT_EQ(respond(R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p"}}]})"),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}})");
  EXPECT_EQ(respond(R"({"kind":"WidgetList","apiVersion":"e/v1","items":[{"apiVersion":"e/v1",)"
                    R"("kind":"Widget"}]})"),
            R"({"kind":"Widget","apiVersion":"e/v1"})");
}

TEST(StaleReadTest, TableOfOneIsWhatAGetGives) {
  const std::string table = R"({"kind":"Table","rows":[{"cells":["p"]}]})";
  EXPECT_EQ(respond(table), table);
}

TEST(StaleReadTest, ObjectThatWasNotThereIsNotFound) {
  for (const char* body : {R"({"kind":"PodList","items":[]})", R"({"kind":"Table","rows":[]})",
                           R"({"kind":"PodList","items":null})", "no JSON"}) {
    HttpServerResponse list;
    list.body = body;
    EXPECT_EQ(stale_response(std::move(list), request_facts("get")).status, 404) << body;
  }
}

}  // namespace
}  // namespace davit::sandbox
