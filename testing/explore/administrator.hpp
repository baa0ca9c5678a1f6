/// The steps of a scenario that change the cluster.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"
#include "testing/explore/scenario.hpp"
#include "testing/explore/world.hpp"

namespace davit::explore {

/// Acts as a client with every right.
class Administrator {
 public:
  /// Both must outlive this.
  Administrator(World& world, const Scenario& scenario) : world_(world), scenario_(scenario) {}

  /// Carries out a step that creates, changes or deletes. The error names what is wrong.
  Status act(const Step& step);
  /// The number of objects that a step is about.
  [[nodiscard]] Result<std::size_t> count(const Step& step) const;

 private:
  struct Found {
    std::string ns;
    std::string name;
    sandbox::Revision born = 0;
  };

  /// The objects that a step is about, the oldest first.
  [[nodiscard]] Result<std::vector<Found>> find(const Step& step) const;
  /// The body with the scenario's namespace, an apiVersion, and UIDs in place of "$uid:pods/web".
  [[nodiscard]] Json completed(const Step& step) const;
  void insert_uids(Json& value) const;
  /// Deletes what the garbage collector would delete.
  Status collect(const Step& step) const;
  Status send(const std::string& method, const sandbox::Resource& resource, const Found& object,
              const Step& step, std::string body) const;

  World& world_;
  const Scenario& scenario_;
};

}  // namespace davit::explore
