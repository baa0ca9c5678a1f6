/// Scenarios that every API server must pass, as data; see README.md.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::checks {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// One request and what must hold of its response.
struct Step {
  std::string method;
  std::string target;  ///< With variables.
  bool watch = false;
  std::string type;  ///< "merge", "protobuf"; empty: JSON.
  std::string as;    ///< "alice", "bogus", "anonymous"; empty: admin.
  Headers headers;
  std::string body;
  std::optional<int> status;
  std::optional<std::string> text;
  Headers response_headers;
  std::vector<std::string> checks;
  std::vector<std::pair<std::string, std::string>> saves;          ///< Variable, path.
  std::vector<std::pair<std::string, std::string>> saved_headers;  ///< Variable, header.
  std::vector<Step> then;
  std::vector<std::string> events;  ///< "ADDED w"
  bool ends = false;
  std::chrono::seconds within{0};
};

struct Check {
  std::string id;  ///< "W3"; "A1/pods" of a row of for_each.
  std::string title;
  std::string since;  ///< "1.30": older servers lack what it is about; empty: all have it.
  std::vector<std::pair<std::string, std::string>> variables;  ///< Set before the first step.
  std::vector<Step> steps;
};

/// The scenarios in order, from the files beside this header. Ends the program at a mistake in
/// them, and prints its position.
[[nodiscard]] std::vector<Check> load_checks();

/// Whether `server` ("sandbox", or "v1.20" for a real one) has what `check` is about.
[[nodiscard]] bool knows(const std::string& server, const Check& check);

/// Whether a known difference shows in every run.
enum class Shows { kAlways, kSometimes };

/// "W3.2": a step that a server is known to answer otherwise.
using Differences = std::map<std::string, Shows>;
/// From known_differences.yaml, for "sandbox" or "v1.20".
[[nodiscard]] Differences load_differences(const std::string& server);

/// The response of a server.
struct Reply {
  int status = 0;
  Headers headers;
  std::string body;

  /// The first of that name, any case; "" when absent.
  [[nodiscard]] std::string header(const std::string& name) const;
  /// The body, which may be protobuf (of a list: its type and items); null when it is neither.
  [[nodiscard]] Json json() const;
  /// Each whole event of a watch, in JSON or protobuf, as {"type", "object"}.
  [[nodiscard]] std::vector<Json> events() const;
  /// The number of complete events received.
  [[nodiscard]] std::size_t events_count() const;
};

struct Watched {
  Reply reply;  ///< The body is what came of the stream.
  bool ended = false;
};

/// A server under test. Time passes by itself on a real one; a simulated one moves its clock.
class Server {
 public:
  Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  virtual ~Server() = default;

  [[nodiscard]] virtual Reply send(const std::string& method, const std::string& target,
                                   const Headers& headers, const std::string& body) = 0;
  /// Opens a watch, runs `then`, and reads until `events` events came and a moment longer, the
  /// stream ended, or `within` passed; with `ends` it waits for the end.
  [[nodiscard]] virtual Watched watch(const std::string& target, const Headers& headers,
                                      const std::function<void()>& then, std::size_t events,
                                      bool ends, std::chrono::seconds within) = 0;
  /// Discards the history before now (compaction). Objects and addresses stay.
  virtual void forget_history() = 0;
  /// Lets a little time pass between two tries.
  virtual void pass_time() = 0;
  /// The time to wait for something that the server should do within this much of its own time.
  [[nodiscard]] virtual std::chrono::seconds time_limit(std::chrono::seconds within) const {
    return within;
  }
};

/// Plays scenarios on one server, in order. Variables live as long as this.
class Runner {
 public:
  /// `server` must outlive it.
  Runner(Server& server, Differences known);

  /// The failures, one line each; empty if there are none. Also reports a known difference that no
  /// longer differs.
  [[nodiscard]] std::vector<std::string> play(const Check& check);

 private:
  /// `limit`: for what a watch has to tell.
  [[nodiscard]] std::vector<std::string> attempt(const Step& step, std::chrono::seconds limit);
  [[nodiscard]] std::vector<std::string> attempt_watch(const Step& step,
                                                       std::chrono::seconds limit);
  [[nodiscard]] std::vector<std::string> judge(const Step& step, const Reply& reply);
  [[nodiscard]] std::string expand(const std::string& text) const;
  [[nodiscard]] Headers headers_of(const Step& step) const;

  Server& server_;
  Differences known_;
  std::map<std::string, std::string> variables_;
};

/// The value at `path`; nothing when there is none. See README.md for the syntax.
[[nodiscard]] std::optional<Json> value_at(const Json& json, const std::string& path);
/// Why `check` ("path op value") does not hold of `json`; empty when it does.
[[nodiscard]] std::string why_not(const Json& json, const std::string& check);

}  // namespace davit::checks
