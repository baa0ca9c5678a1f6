/// A receiver of OTLP/HTTP on a free loopback port that keeps the spans that it gets.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "lib/kube/json.hpp"
#include "tests/host/transport/tiny_server.hpp"

namespace davit::host {

/// A span as the receiver sees it.
struct ReceivedSpan {
  std::string trace;
  std::string id;
  std::string parent;
  std::string name;
  std::int64_t began = 0;
  std::int64_t ended = 0;
  std::map<std::string, std::string> attributes;
};

/// Thread-safe.
class OtlpReceiver {
 public:
  [[nodiscard]] std::string url() const { return server_.url(); }
  [[nodiscard]] std::vector<ReceivedSpan> spans() const {
    const MutexLock lock(mutex_);
    return spans_;
  }
  [[nodiscard]] std::set<std::string> request_lines() const {
    const MutexLock lock(mutex_);
    return lines_;
  }

 private:
  static ReceivedSpan read(const Json& from) {
    ReceivedSpan span{from.text_at({"traceId"}),
                      from.text_at({"spanId"}),
                      from.text_at({"parentSpanId"}),
                      from.text_at({"name"}),
                      std::stoll(from.text_at({"startTimeUnixNano"})),
                      std::stoll(from.text_at({"endTimeUnixNano"})),
                      {}};
    for (const Json& each : from.find("attributes")->items()) {
      const std::string text = each.text_at({"value", "stringValue"});
      span.attributes[each.text_at({"key"})] =
          text.empty() ? each.text_at({"value", "intValue"}) : text;
    }
    return span;
  }
  void serve(Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      const Json body = parse_json(request.substr(request.find("\r\n\r\n") + 4)).value_or(Json());
      {
        const MutexLock lock(mutex_);
        lines_.insert(request.substr(0, request.find('\r')));
        for (const Json& resource : body.find("resourceSpans")->items()) {
          for (const Json& scope : resource.find("scopeSpans")->items()) {
            for (const Json& each : scope.find("spans")->items()) spans_.push_back(read(each));
          }
        }
      }
      peer.respond("{}");
    }
  }

  mutable Mutex mutex_;
  std::vector<ReceivedSpan> spans_ GUARDED_BY(mutex_);
  std::set<std::string> lines_ GUARDED_BY(mutex_);
  TinyServer server_{[this](Peer& peer) { serve(peer); }};
};

}  // namespace davit::host
