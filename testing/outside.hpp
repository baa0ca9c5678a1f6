/// The servers outside a test cluster.
#pragma once

#include <davit/testing/records.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "host/outbound/outbound_client.hpp"
#include "lib/net/transport.hpp"
#include "testing/mistakes.hpp"

namespace davit::testing {

/// All of them: the test responds. Single-threaded.
class Outside {
 public:
  /// `mistakes` must outlive this.
  explicit Outside(Mistakes& mistakes) : mistakes_(mistakes) {}
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  /// The test's server of all requests; empty: no server can be reached.
  void on_http(std::function<HttpReply(const HttpRecord&)> server) { server_ = std::move(server); }
  [[nodiscard]] const std::vector<HttpRecord>& records() const { return records_; }
  void clear() { records_.clear(); }

  /// The transport to one of them; this must outlive it.
  [[nodiscard]] std::unique_ptr<Transport> connect(const host::OutboundServer& server);

 private:
  class Way;
  [[nodiscard]] HttpReply reply(HttpRecord record);

  Mistakes& mistakes_;
  std::function<HttpReply(const HttpRecord&)> server_;
  std::vector<HttpRecord> records_;
};

}  // namespace davit::testing
