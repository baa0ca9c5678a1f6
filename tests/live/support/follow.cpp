#include "tests/live/support/follow.hpp"

#include "tests/live/support/process.hpp"

namespace davit::live {
namespace {

constexpr std::chrono::milliseconds kReopen{200};

}  // namespace

void follow(host::RestClient& client, const host::ResourcePath& path, const std::stop_token& stop,
            const ChangeSink& sink) {
  std::string version;
  while (!stop.stop_requested()) {
    host::ApiRequest request;
    request.verb = host::Verb::kWatch;
    request.path = path;
    request.query = "allowWatchBookmarks=true";
    if (!version.empty()) request.query += "&resourceVersion=" + version;
    host::WatchSplitter splitter;
    const auto take = [&](host::WatchType type, std::string_view json) -> Status {
      Result<std::string> at = sink(type, json);
      if (!at) return at.error();
      version = type == host::WatchType::kError ? "" : std::move(*at);
      return {};
    };
    const Status ended = client.stream(
        request, stop, [&](std::string_view chunk) { return splitter.feed(chunk, take); });
    // Some servers refuse the request instead of answering with an event.
    if (ended.code() == Code::kExpired) (void)take(host::WatchType::kError, ended.message());
    (void)eventually(kReopen, [&stop] { return stop.stop_requested(); });
  }
}

}  // namespace davit::live
