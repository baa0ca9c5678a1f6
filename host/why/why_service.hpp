/// Answers `davit why` from the journal, the queues and the server.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/health/debug_response.hpp"
#include "host/journal/journal.hpp"
#include "host/swap/serving_plugins.hpp"
#include "host/why/why_answer.hpp"
#include "host/why/why_request.hpp"
#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

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
    /// Makes the page `path` of a controller, and may block until the deadline. Empty: no
    /// controller is asked.
    std::function<Result<std::string>(std::string_view controller, std::string_view path,
                                      Time deadline)>
        controller_page = {};
    /// The identity of the leader; empty if this host leads or the leader is unknown.
    std::function<std::string()> other_leader = {};
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
  [[nodiscard]] std::string other_leader() const;
  void add_keys(WhyAnswer& answer) const;
  /// The lines of the controllers about their keys; see docs/WHY.md, "Plugins".
  [[nodiscard]] std::vector<std::string> waits_of(const Story::Key& key,
                                                  std::set<std::string>& silent) const;
  /// Asks the server for the controllers of an object that davit never wrote.
  void add_owners(WhyAnswer& answer, const Json& object, const ApiCatalog& catalog) const;
  /// Whether the server has the target; nothing: it did not say.
  std::optional<bool> add_present(WhyAnswer& answer, const ApiCatalog& catalog) const;

  const Sources sources_;
};

}  // namespace davit::host
