/// The answer to `davit why`: what was done to an object and because of it, and what is waited for.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/health/debug_response.hpp"
#include "host/journal/journal.hpp"
#include "host/journal/journal_json.hpp"
#include "host/swap/serving_plugins.hpp"
#include "host/why/object_argument.hpp"
#include "host/why/story.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

struct WhyRequest {
  std::string object;          ///< KIND/NAME, see resolve_object().
  std::string ns = "default";  ///< Not looked at for what is cluster-scoped.
  enum class Output { kText, kJson, kTimeline } output = Output::kText;
};

/// A request in words, as the control socket and URLs have them: `output` is "json", "timeline" or
/// anything else for text.
[[nodiscard]] WhyRequest why_request(std::string object, const std::string& ns,
                                     std::string_view output);

/// A line about a key or an object as it is at the moment.
struct WhyNow {
  std::string subject;  ///< "replicaset-controller default/web-1", "pods web-1-x".
  std::string text;
  std::size_t depth = 0;
};

struct WhyAnswer {
  StoryObject target;
  Story story;               ///< With the latest entries only.
  std::size_t left_out = 0;  ///< Earlier entries.
  std::vector<WhyNow> now;
  std::optional<Time> reaches_back_to;  ///< Nothing: no controller of this host has worked.
  WallClockReading clock;
};

/// Thread-safe. Blocks for requests to the API server: the object and some of what it controls are
/// read as they are now. The journal answers where the server does not.
class WhyService {
 public:
  /// The services that it asks; the references outlive it.
  struct Sources {
    const Journal& journal;
    Discovery& discovery;
    ServingPlugins& serving;
    RestClient& reader;  ///< For the present state of objects.
    Clock& clock;
  };

  explicit WhyService(const Sources& sources) : sources_(sources) {}

  /// The rendered answer. kInvalid: the request is malformed. kNotFound: nothing is known of such
  /// an object, and the text says how far back the journal reaches. kUnsupported: the host keeps no
  /// journal.
  [[nodiscard]] Result<std::string> respond(const WhyRequest& request) const;
  /// The page /debug/why: `query` has `object`, `namespace` and `output`.
  [[nodiscard]] Result<DebugResponse> page(std::string_view query) const;

 private:
  using Catalog = std::shared_ptr<const ApiCatalog>;

  [[nodiscard]] Result<WhyAnswer> answer(const WhyRequest& request) const;
  [[nodiscard]] std::vector<ControllerRecords> records(std::optional<Time>& reaches_back_to) const;
  void add_keys(WhyAnswer& answer) const;
  /// Whether the server has the target; nothing: it did not say.
  std::optional<bool> add_present(WhyAnswer& answer, const ApiCatalog& catalog) const;

  const Sources sources_;
};

}  // namespace davit::host
