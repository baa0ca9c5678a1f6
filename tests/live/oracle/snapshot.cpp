#include "tests/live/oracle/snapshot.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "host/object/object.hpp"
#include "host/object/parse.hpp"

namespace davit::live {
namespace {

using host::Kind;
using host::Value;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Differ from run to run and carry no decision of a controller.
const std::set<std::string, std::less<>>& ignored_members() {
  static const std::set<std::string, std::less<>> names = {"uid",
                                                           "resourceVersion",
                                                           "creationTimestamp",
                                                           "managedFields",
                                                           "selfLink",
                                                           "lastTransitionTime",
                                                           "lastUpdateTime",
                                                           "startTime",
                                                           "eventTime",
                                                           "firstTimestamp",
                                                           "lastTimestamp",
                                                           "generateName",
                                                           "deletionTimestamp"};
  return names;
}

/// Longer texts first: a ReplicaSet's name holds its hash.
struct LongerFirst {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  }
};
/// Texts that stand for something: "web-7d9c6fd4f9" for the ReplicaSet of revision 2.
using Tokens = std::map<std::string, std::string, LongerFirst>;

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string tokenised(std::string text, const Tokens& tokens) {
  for (const auto& [from, to] : tokens) text = replace_all(std::move(text), from, to);
  // The tenth and later event of a kind come as one, and how many there are depends on the steps of
  // a rollout.
  text = replace_all(std::move(text), "(combined from similar events): ", "");
  // A ReplicaSet that is gone has no revision any more.
  static const std::regex kGone("\\bweb-[bcdfghjklmnpqrstvwxz2456789]{6,10}\\b");
  text = std::regex_replace(text, kGone, "RS0");
  // What is left of a pod's name is its ReplicaSet's token and five random letters.
  static const std::regex kPodSuffix("(RS[0-9]+|[a-z-]*bare)-[a-z0-9]{5}\\b");
  text = std::regex_replace(text, kPodSuffix, "$1-POD");
  // Upstream names the former size since v1.27; and how many steps a rollout takes depends on when
  // pods become ready.
  static const std::regex kSizes(
      "(Scaled (?:up|down) replica set [^ ]+)(?: from [0-9]+)? to [0-9]+");
  return std::regex_replace(text, kSizes, "$1");
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// How often a ReplicaSet was scaled on the way, which depends on when pods become ready.
bool counts_steps(std::string_view key) {
  return key == "generation" || key == "observedGeneration";
}

std::string canonical(Value value, const Tokens& tokens, bool in_set = false) {
  std::string out;
  if (value.kind() == Kind::kObject) {
    const bool is_set = in_set || value["kind"].string() == "ReplicaSet";
    std::map<std::string, std::string> members;
    value.each_member([&](std::string_view key, Value member) {
      if (ignored_members().contains(key) || (is_set && counts_steps(key))) return;
      members[tokenised(std::string(key), tokens)] = canonical(member, tokens, is_set);
    });
    for (const auto& [key, text] : members) {
      out += (out.empty() ? "" : ",") + quoted(key) + ":" + text;
    }
    return "{" + out + "}";
  }
  if (value.kind() == Kind::kArray) {
    std::vector<std::string> elements;
    value.each([&](Value element) { elements.push_back(canonical(element, tokens, in_set)); });
    // The order of conditions is that of their first appearance, which may be a race of two writes.
    std::sort(elements.begin(), elements.end());
    for (const std::string& element : elements) out += (out.empty() ? "" : ",") + element;
    return "[" + out + "]";
  }
  if (value.kind() == Kind::kString) return quoted(tokenised(std::string(value.string()), tokens));
  return value.json();
}

/// ReplicaSets get a token by revision; those without one are named bare.
Tokens tokens_of(Value list) {
  Tokens tokens;
  list["items"].each([&](Value item) {
    if (item["kind"].string() != "ReplicaSet") return;
    const std::string name(item["metadata"]["name"].string());
    const std::string revision(
        item["metadata"]["annotations"]["deployment.kubernetes.io/revision"].string());
    const std::string hash(item["metadata"]["labels"]["pod-template-hash"].string());
    if (revision.empty() || hash.empty()) return;
    tokens[name] = "RS" + revision;
    tokens[hash] = "HASH" + revision;
  });
  return tokens;
}

std::string event_line(Value event, const Tokens& tokens) {
  return "Event " + std::string(event["type"].string()) + " " +
         std::string(event["reason"].string()) + " " +
         std::string(event["involvedObject"]["kind"].string()) + " " +
         tokenised(std::string(event["message"].string()), tokens) + " by " +
         std::string(event["source"]["component"].string());
}

}  // namespace

std::string snapshot(const ControlPlane& cluster, const std::string& ns) {
  const std::string text = cluster.must(
      {"get", "deployments,replicasets,pods,events", "--namespace", ns, "--output", "json"});
  host::ObjectSpace space;
  const Result<host::ObjectRef> list = host::parse_object(space, text);
  if (!list) return "unreadable: " + list.error().message();
  const Tokens tokens = tokens_of(list->root());
  std::map<std::string, std::int64_t> lines;
  list->root()["items"].each([&](Value item) {
    if (item["kind"].string() == "Event") {
      lines[event_line(item, tokens)] = 1;
    } else {
      lines[canonical(item, tokens)] += 1;
    }
  });
  std::string out;
  for (const auto& [line, count] : lines) out += std::to_string(count) + "x " + line + "\n";
  return out;
}

bool settle(const ControlPlane& cluster, const std::string& ns) {
  constexpr milliseconds kQuiet{2500};
  const std::array<std::string, 4> paths = {"/apis/apps/v1/namespaces/" + ns + "/deployments",
                                            "/apis/apps/v1/namespaces/" + ns + "/replicasets",
                                            "/api/v1/namespaces/" + ns + "/pods",
                                            "/api/v1/namespaces/" + ns + "/events"};
  host::ObjectSpace space;
  std::string last;
  auto since = std::chrono::steady_clock::now();
  const auto is_quiet = [&] {
    std::string now;
    for (const std::string& path : paths) {
      const Result<host::ObjectRef> list = host::parse_object(space, cluster.read(path));
      if (!list) return false;
      list->root()["items"].each([&now](Value item) {
        now += std::string(item["metadata"]["name"].string()) + ":" +
               std::string(item["metadata"]["resourceVersion"].string()) + " ";
      });
    }
    if (now != last) {
      last = now;
      since = std::chrono::steady_clock::now();
    }
    return std::chrono::steady_clock::now() - since >= kQuiet;
  };
  return eventually(seconds(90), is_quiet, milliseconds(250));
}

}  // namespace davit::live
