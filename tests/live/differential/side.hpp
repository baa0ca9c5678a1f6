/// A server under random requests, and its answers in the form that two servers must agree on.
#pragma once

#include <map>
#include <string>

#include "tests/live/differential/operations.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::live {

/// One server, the resourceVersions that it has given out, and the list that a watch starts from.
class Side {
 public:
  /// Creates the namespace of the objects. `server` must outlive it.
  explicit Side(checks::Server& server);

  /// Does what the operation says, a request or a part of a watch (operations.hpp). The answer is
  /// empty for the start of a watch.
  [[nodiscard]] std::string answer(const Operation& operation);
  /// The body of the last reply, with all that differs from run to run.
  [[nodiscard]] const std::string& last_body() const { return last_.body; }

 private:
  void send(const Operation& operation);
  /// The events of `selection` since the start.
  [[nodiscard]] std::string watch(const std::string& selection);
  [[nodiscard]] std::string filled(std::string text, const Operation& operation);
  void observe();

  checks::Server& server_;
  std::map<std::string, std::string> versions_;  // The key is the path of the object.
  std::string start_;
  checks::Reply last_;
};

}  // namespace davit::live
