#include "plugins/namespace/namespace_writer.hpp"

#include <davit/json_writer.hpp>
#include <utility>
#include <vector>

#include "plugins/namespace/content_plan.hpp"

namespace davit::namespaces {
namespace {

constexpr std::string_view kTerminating = "Terminating";

/// Upstream tries for ever. So many writers in a row do not come between; a server that answers so
/// for another reason would hold the worker.
constexpr int kConflictsMax = 1000;

/// Members that are JSON text.
struct Changes {
  std::string phase{};
  std::string conditions{};
};

/// The whole object, with these members of its status instead of its own.
std::string body_with(const Namespace& ns, const Changes& changes) {
  JsonWriter out;
  out.begin_object();
  for (const auto& [key, value] : ns.value().members()) {
    if (key != "status") out.key(key).value(value);
  }
  out.key("status").begin_object();
  for (const auto& [key, value] : ns.status().members()) {
    const bool is_changed = (key == "phase" && !changes.phase.empty()) ||
                            (key == "conditions" && !changes.conditions.empty());
    if (!is_changed) out.key(key).value(value);
  }
  if (!changes.phase.empty()) out.key("phase").raw(changes.phase);
  if (!changes.conditions.empty()) out.key("conditions").raw(changes.conditions);
  out.end_object().end_object();
  return std::move(out).text();
}

std::string finalize_body(const Namespace& ns) {
  JsonWriter out;
  out.begin_object().member("kind", "Namespace").member("apiVersion", "v1");
  out.member("metadata", ns.metadata());
  out.key("spec").begin_object();
  const std::vector<std::string> others = other_finalizers(ns.content_finalizers());
  if (!others.empty()) {
    out.key("finalizers").begin_array();
    for (const std::string& each : others) out.string(each);
    out.end_array();
  }
  out.end_object().key("status").begin_object().end_object().end_object();
  return std::move(out).text();
}

}  // namespace

Result<Namespace> NamespaceWriter::read(std::string_view name) const {
  return client_.get<Namespace>({{}, std::string(name)});
}

Result<Namespace> NamespaceWriter::mark_terminating(const Namespace& ns) const {
  return until_no_conflict(ns, [this](const Namespace& fresh) -> Result<Namespace> {
    if (!fresh.is_being_deleted() || fresh.phase() == kTerminating) return fresh;
    return put(fresh, body_with(fresh, {.phase = R"("Terminating")"}), {.subresource = "status"});
  });
}

Status NamespaceWriter::finalize(const Namespace& ns) const {
  return until_no_conflict(ns,
                           [this](const Namespace& fresh) {
                             return put(fresh, finalize_body(fresh),
                                        {.subresource = "finalize", .answer = Answer::kMetadata});
                           })
      .error();
}

Result<Namespace> NamespaceWriter::write_conditions(const Namespace& ns,
                                                    const std::string& conditions) const {
  return put(ns, body_with(ns, {.conditions = conditions}), {.subresource = "status"});
}

Result<Namespace> NamespaceWriter::until_no_conflict(const Namespace& ns,
                                                     const Write& write) const {
  Namespace present = ns;
  for (int conflicts = 0;; ++conflicts) {
    Result<Namespace> written = write(present);
    const bool is_conflict = written.error().code() == Code::kConflict;
    if (!is_conflict || conflicts == kConflictsMax) return written;
    const Result<Namespace> fresh = read(ns.name());
    if (!fresh) return fresh.error();
    if (fresh->uid() != present.uid()) {
      return Status(Code::kInternal, "namespace uid has changed across retries");
    }
    present = *fresh;
  }
}

Result<Namespace> NamespaceWriter::put(const Namespace& ns, std::string body,
                                       const WriteOptions& options) const {
  return client_.update<Namespace>(ns.key(), std::move(body), options);
}

}  // namespace davit::namespaces
