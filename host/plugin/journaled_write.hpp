/// A request of a controller as the journal keeps it: without its body.
#pragma once

#include "host/api/api_request.hpp"
#include "host/journal/controller_journal.hpp"
#include "host/journal/work_record.hpp"
#include "host/object/object.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The write and its response, without the names of its object. `now` is the time of a write that
/// was never sent.
[[nodiscard]] Write describe_write(const ApiRequest& request, const ApiResponse& response,
                                   Time now);
/// While it exists, the journal shows that the current call waits for a request.
class AwaitedRequest {
 public:
  /// `work` outlives this; null: there is no journal. A null `request` stands for several.
  AwaitedRequest(JournaledWork* work, const Clock& clock, const ApiRequest* request)
      : work_(work), clock_(clock) {
    if (work_ != nullptr) show(request);
  }
  ~AwaitedRequest() {
    if (work_ != nullptr) work_->requests({}, clock_.now());
  }
  AwaitedRequest(const AwaitedRequest&) = delete;
  AwaitedRequest& operator=(const AwaitedRequest&) = delete;

 private:
  void show(const ApiRequest* request);

  JournaledWork* const work_;
  const Clock& clock_;
};

/// Takes name and controlling owner from the written object, or from its body. One that was made
/// from a prefix and has no name yet is called "prefix*".
void name_object(Write& write, const ObjectRef& object);

}  // namespace davit::host
