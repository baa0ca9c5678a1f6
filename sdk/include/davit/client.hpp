/// Client: requests to the API server, in syncs and timers only.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <davit/request.hpp>
#include <davit/trampoline.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace davit {

/// Waits for each response. Errors contain the server's ApiDetail: reason and causes. After
/// kUnavailable a write may or may not have been applied.
///
/// The host remembers successful writes: the key is not synced again until the cache has seen them.
class Client {
 public:
  /// `api` must outlive the client.
  explicit Client(const Api& api) : api_(&api) {}

  /// Reads from the server, not from the cache.
  template <typename View>
  [[nodiscard]] Result<View> get(const Key& key) const {
    return view<View>(call(Request::get<View>(key)));
  }
  /// Creates an object. `body` must have metadata.name or generateName.
  template <typename View>
  [[nodiscard]] Result<View> create(std::string_view ns, std::string body,
                                    const WriteOptions& options = {}) const {
    return view<View>(call(Request::create<View>(ns, std::move(body), options)));
  }
  /// Sends a PUT. `body` must have the resourceVersion of the object from which it was built.
  template <typename View>
  [[nodiscard]] Result<View> update(const Key& key, std::string body,
                                    const WriteOptions& options = {}) const {
    return view<View>(call(Request::update<View>(key, std::move(body), options)));
  }
  template <typename View>
  [[nodiscard]] Result<View> patch(const Key& key, PatchType type, std::string body,
                                   const WriteOptions& options = {}) const {
    return view<View>(call(Request::patch<View>(key, type, std::move(body), options)));
  }
  template <typename View>
  [[nodiscard]] Status remove(const Key& key, DeleteOptions options = {}) const {
    return call(Request::remove<View>(key, std::move(options))).error();
  }
  /// Lists a namespace, uncached. For the text form of `label_selector`, see Selector::to_string.
  template <typename View>
  [[nodiscard]] Result<std::vector<View>> list(std::string_view ns,
                                               std::string_view label_selector = {}) const;

  /// The object in the response; absent after a delete that returned a Status.
  [[nodiscard]] Result<Value> call(const Request& request) const;

  /// Sends all requests concurrently, as the rate limiter admits them; the n-th result belongs to
  /// the n-th request.
  [[nodiscard]] std::vector<Result<Value>> batch(std::span<const Request> requests) const;

  /// Sends the requests that `next` makes, at most `at_once_max` (0: 50) concurrently, and passes
  /// each response to `done` in the order of arrival. Both run on this thread, one at a time, and
  /// may use the client.
  ///
  ///     next(std::size_t index) -> std::optional<Request>    nothing: none now; called again after
  ///                                                          the next done()
  ///     done(std::size_t index, const Result<Value>&) -> void, or a Status that ends the fan-out
  ///
  /// A value is borrowed until done() returns, so memory does not grow with the number of
  /// responses. Returns the first error of done(), or kCancelled if the host stops.
  template <std::invocable<std::size_t> Next, typename Done>
  [[nodiscard]] Status fan_out(const Next& next, const Done& done,
                               std::uint32_t at_once_max = 0) const;
  /// The same for existing requests.
  template <typename Done>
  [[nodiscard]] Status fan_out(std::span<const Request> requests, const Done& done,
                               std::uint32_t at_once_max = 0) const {
    return fan_out(
        [requests](std::size_t index) {
          return index < requests.size() ? std::optional(requests[index]) : std::nullopt;
        },
        done, at_once_max);
  }

  /// Lists in pages of `request.limit` items (0: 500, as client-go) and passes each page to
  /// `on_page(const Page&)`, which returns nothing, or a Status that ends the list. If the server
  /// drops the list's version before the last page (410), everything is listed again at once: see
  /// Page::restarted.
  template <typename OnPage>
  [[nodiscard]] Status list_pages(Request request, const OnPage& on_page) const;

  /// Passes the body of the response to a get or list to `sink(std::string_view)` as it arrives,
  /// unparsed and in arbitrary pieces; an error of the sink ends the transfer. The text is borrowed
  /// until the sink returns, and the host buffers at most 256 KiB. For logs:
  ///
  ///     Request log = Request::get<Pod>(key);
  ///     log.subresource = "log";
  ///     log.query = "follow=true&tailLines=100";
  ///     log.timeout = std::chrono::minutes(5);  // For the whole transfer.
  ///
  /// kUnavailable: the body was cut off. kCancelled: the host stops or swaps.
  template <typename Sink>
  [[nodiscard]] Status stream(const Request& request, const Sink& sink) const;

  /// Ok if the server has the resource, kNotFound if it does not, kUnavailable if that is unknown.
  /// Also allowed in a controller's constructor.
  [[nodiscard]] Status resource_exists(const Resource& resource) const;

 private:
  template <typename View>
  [[nodiscard]] static Result<View> view(const Result<Value>& result) {
    if (!result) return result.error();
    return View(*result);
  }
  /// The result borrows from `request`.
  [[nodiscard]] static davit_request to_raw(const Request& request);
  [[nodiscard]] Result<Value> to_result(const davit_response& response) const;

  const Api* api_;
};

template <typename View>
Result<std::vector<View>> Client::list(std::string_view ns, std::string_view label_selector) const {
  const Result<Value> list = call(Request::list<View>(ns, {.label_selector = label_selector}));
  if (!list) return list.error();
  std::vector<View> views;
  for (const Value each : (*list)[&Names::items].elements()) views.push_back(View(each));
  return views;
}

namespace detail {

/// Calls a callback that returns nothing or a Status.
template <typename Callback, typename... Args>
Status status_of(const Callback& callback, Args&&... args) {
  if constexpr (std::is_void_v<std::invoke_result_t<const Callback&, Args...>>) {
    callback(std::forward<Args>(args)...);
    return {};
  } else {
    return callback(std::forward<Args>(args)...);
  }
}

}  // namespace detail

template <std::invocable<std::size_t> Next, typename Done>
Status Client::fan_out(const Next& next, const Done& done, std::uint32_t at_once_max) const {
  struct Run {
    const Client& client;
    const Next& next;
    const Done& done;
    detail::Thrown thrown{};
    std::optional<Request> request{};  // Borrowed by the host until next() is called again.
    Status error{};
  };
  Run run{*this, next, done};
  davit_fan_out raw{};
  raw.size = sizeof(raw);
  raw.at_once_max = at_once_max;
  raw.self = &run;
  raw.next = [](void* self, const davit_call*, std::uint64_t index,
                davit_request* request) -> davit_code {
    auto& it = *static_cast<Run*>(self);
    return it.thrown.keep([&]() -> davit_code {
      it.request = it.next(static_cast<std::size_t>(index));
      if (!it.request) return DAVIT_NOT_FOUND;
      *request = to_raw(*it.request);
      return DAVIT_OK;
    });
  };
  raw.done = [](void* self, const davit_call*, std::uint64_t index,
                const davit_response* response) -> davit_code {
    auto& it = *static_cast<Run*>(self);
    return it.thrown.keep([&]() -> davit_code {
      davit_response known{};
      read_sized(response, known);
      Status status =
          detail::status_of(it.done, static_cast<std::size_t>(index), it.client.to_result(known));
      if (status.ok()) return DAVIT_OK;
      const davit_code code = to_c(status.code());
      if (it.error.ok()) it.error = std::move(status);
      return code;
    });
  };
  const davit_code code = api_->client->fan_out(api_->call(), &raw);
  run.thrown.rethrow();
  if (!run.error.ok()) return run.error;
  return code == DAVIT_OK ? Status() : Status(from_c(code), "the fan-out has ended early");
}

template <typename OnPage>
Status Client::list_pages(Request request, const OnPage& on_page) const {
  constexpr std::uint64_t kPageItems = 500;
  if (request.limit == 0) request.limit = kPageItems;
  bool has_more = true;
  bool restarted = false;
  return fan_out(
      [&](std::size_t) {
        return std::exchange(has_more, false) ? std::optional(request) : std::nullopt;
      },
      [&](std::size_t, const Result<Value>& list) -> Status {
        if (!list) {
          if (list.error().code() != Code::kExpired || request.continue_token.empty()) {
            return list.error();
          }
          request.limit = 0;
          request.continue_token.clear();
          has_more = restarted = true;
          return {};
        }
        Status status = detail::status_of(on_page, Page{*list, restarted});
        request.continue_token = (*list)[&Names::metadata]["continue"].string();
        has_more = !request.continue_token.empty();
        return status;
      },
      1);
}

template <typename Sink>
Status Client::stream(const Request& request, const Sink& sink) const {
  struct Run {
    const Sink& sink;
    detail::Thrown thrown{};
    Status error{};
  };
  Run run{sink};
  const davit_sink to{sizeof(davit_sink), 0, &run, [](void* self, davit_str chunk) -> davit_code {
                        auto& it = *static_cast<Run*>(self);
                        return it.thrown.keep([&]() -> davit_code {
                          it.error = detail::status_of(it.sink, from_c(chunk));
                          return to_c(it.error.code());
                        });
                      }};
  davit_request raw = to_raw(request);
  raw.raw = &to;
  davit_response response{};
  response.size = sizeof(response);
  response.code = api_->client->call(api_->call(), &raw, &response);
  run.thrown.rethrow();
  return run.error.ok() ? to_result(response).error() : run.error;
}

}  // namespace davit
