#include "sandbox/rest/watch.hpp"

#include "sandbox/rest/list.hpp"
#include "sandbox/rest/watch_stream.hpp"

namespace davit::sandbox {

namespace {

using namespace std::chrono_literals;

/// The duration of a watch if the client sets none: half an hour to an hour, so that clients do not
/// all reconnect at once.
constexpr Duration kShortest = 30min;

Time deadline_of(const RestParts& parts, const ListOptions& options) {
  // Far beyond every watch, near enough that adding it to a time cannot overflow.
  constexpr std::int64_t kSecondsMax = 365LL * 24 * 60 * 60;
  const std::int64_t seconds = options.timeout_seconds.value_or(0);
  if (seconds > 0) return parts.clock.now() + std::chrono::seconds(std::min(seconds, kSecondsMax));
  return parts.clock.now() + parts.random.jitter(kShortest, 1.0);
}

/// The start of the watch; 500 for a resourceVersion that is not a number.
ApiFailure plan_start(const RestParts& parts, const ListOptions& options, WatchPlan& plan) {
  const Result<Revision> asked = parse_revision(options.revision.empty() ? "0" : options.revision);
  if (!asked) return internal_error("invalid resource version: " + asked.error().message());
  const bool from_state = options.send_initial_events.value_or(*asked == 0);
  plan.start = from_state ? WatchPlan::Start::kState : WatchPlan::Start::kPosition;
  plan.position = *asked == 0 && !from_state ? parts.store.revision() : *asked;
  return std::nullopt;
}

}  // namespace

ApiResult<HttpServerResponse> watch_objects(const RestParts& parts, const Call& call) {
  const ApiResult<ListOptions> options = parse_list_options(call.url.query, ListKind::kWatch);
  if (!options) return options.error();
  ApiResult<Selection> selection = parse_selection(call, *options);
  if (!selection) return selection.error();
  WatchPlan plan;
  plan.selection = std::move(*selection);
  plan.deadline = deadline_of(parts, *options);
  if (options->allow_bookmarks) {
    plan.bookmarks = options->send_initial_events.value_or(false)
                         ? WatchPlan::Bookmarks::kAlsoAfterInitial
                         : WatchPlan::Bookmarks::kSome;
  }
  if (ApiFailure failure = plan_start(parts, *options, plan)) return *failure;
  HttpServerResponse response;
  response.content_type = watch_content_type(call.form);
  response.stream = std::make_unique<WatchStream>(parts, call.resource, call.form, std::move(plan));
  return response;
}

}  // namespace davit::sandbox
