/// Who wrote what and when, from the API server's audit log.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// One write of pods, ReplicaSets, Deployments, Jobs, nodes, volumes or claims.
struct AuditedWrite {
  std::string when;  ///< "2026-11-23T00:12:01.123456Z"; sorts as the time.
  std::string user;
  std::string what;          ///< "create pods", "patch nodes/status"
  std::string name;          ///< Empty where the server chooses it.
  std::string program = {};  ///< The user agent up to its first '/': "davit".
};

/// The API server's audit log. Give options() to the ControlPlane.
class AuditLog {
 public:
  AuditLog();

  [[nodiscard]] ControlPlaneOptions options() const;
  /// The successful writes so far, in the order in which the requests arrived.
  [[nodiscard]] std::vector<AuditedWrite> writes() const;
  /// The writes that the server forbade (403), in the same order.
  [[nodiscard]] std::vector<AuditedWrite> forbidden() const;
  /// writes() without the first `count`.
  [[nodiscard]] std::vector<AuditedWrite> writes_after_first(std::size_t count) const;

 private:
  /// The requests whose responses have a status in this range.
  [[nodiscard]] std::vector<AuditedWrite> with_status(long first, long last) const;

  ScratchDir scratch_;
};

/// The number of a user's writes of one kind ("create pods").
[[nodiscard]] std::size_t count(const std::vector<AuditedWrite>& all, const std::string& user,
                                const std::string& what);

/// A user's writes that judge nodes: to nodes, and to the status of pods.
[[nodiscard]] std::vector<std::string> verdicts_on_nodes(const std::vector<AuditedWrite>& all,
                                                         const std::string& user);

/// The objects that a user created or deleted more than once.
[[nodiscard]] std::vector<std::string> repeated(const std::vector<AuditedWrite>& all,
                                                const std::string& user);

/// Writes of `former` that arrived after the first one of `next`: two leaders at work.
[[nodiscard]] std::vector<std::string> writes_after(const std::vector<AuditedWrite>& all,
                                                    const std::string& former,
                                                    const std::string& next);

/// The programs that wrote as one of these users, in the order of their writes: one entry for each
/// time that a program follows another.
[[nodiscard]] std::vector<std::string> programs_in_turn(const std::vector<AuditedWrite>& all,
                                                        const std::vector<std::string>& users);

}  // namespace davit::live
