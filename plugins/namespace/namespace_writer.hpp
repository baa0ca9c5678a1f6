/// The writes of a Namespace itself.
#pragma once

#include <davit/client.hpp>
#include <functional>
#include <optional>
#include <string>

#include "plugins/namespace/namespace_view.hpp"

namespace davit::namespaces {

/// After a conflict the writes of phase and finalizers read the Namespace and try again, as long as
/// it is the same one. kNotFound: it is gone. Only for syncs.
class NamespaceWriter {
 public:
  explicit NamespaceWriter(const Client& client) : client_(client) {}

  [[nodiscard]] Result<Namespace> read(std::string_view name) const;
  /// Writes the phase Terminating where it is another; the present Namespace.
  [[nodiscard]] Result<Namespace> mark_terminating(const Namespace& ns) const;
  /// Takes kToken out of spec.finalizers. The server then deletes the Namespace if nothing else
  /// holds it.
  [[nodiscard]] Status finalize(const Namespace& ns) const;
  /// `conditions` is a JSON array. Not repeated after a conflict: the next sync writes again. The
  /// Namespace as written.
  [[nodiscard]] Result<Namespace> write_conditions(const Namespace& ns,
                                                   const std::string& conditions) const;

 private:
  using Write = std::function<Result<Namespace>(const Namespace&)>;

  [[nodiscard]] Result<Namespace> until_no_conflict(const Namespace& ns, const Write& write) const;
  [[nodiscard]] Result<Namespace> put(const Namespace& ns, std::string body,
                                      const WriteOptions& options) const;

  const Client client_;
};

}  // namespace davit::namespaces
