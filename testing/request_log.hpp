/// The requests of the controllers of a test cluster: their record, and the faults that hit them.
#pragma once

#include <davit/testing/records.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "host/plugin/note_use.hpp"
#include "lib/net/http_message.hpp"
#include "testing/cluster_server.hpp"

namespace davit::testing {

/// Stands before the server. Single-threaded.
class RequestLog final : public HttpHandler {
 public:
  /// The references must outlive this.
  RequestLog(ClusterServer& server, host::NoteUse& use) : server_(server), use_(use) {}

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override;

  [[nodiscard]] const std::vector<RequestRecord>& records() const { return records_; }
  void clear() { records_.clear(); }
  void fail_next(Fault fault) { faults_.push_back(std::move(fault)); }
  void clear_faults() { faults_.clear(); }
  /// Called before each request is carried out.
  void on_request(std::function<void(const RequestRecord&)> hook) { hook_ = std::move(hook); }

 private:
  [[nodiscard]] HttpServerResponse serve(const RequestRecord& record,
                                         const HttpServerRequest& request);
  [[nodiscard]] Fault* find_fault(const RequestRecord& record);

  ClusterServer& server_;
  host::NoteUse& use_;
  std::vector<RequestRecord> records_;
  std::vector<Fault> faults_;
  std::function<void(const RequestRecord&)> hook_;
};

}  // namespace davit::testing
