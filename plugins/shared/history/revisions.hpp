/// Order, creation, renumbering and truncation of the ControllerRevisions of one owner.
///
/// Rules: docs/spec/statefulset.md, 8.6 to 8.9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/client.hpp>
#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <davit/kube/owner_reference.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/history/controller_revision.hpp"
#include "plugins/shared/history/revision_data.hpp"

namespace davit::history {

/// Orders by revision, then creation time, then name.
void sort_revisions(std::vector<ControllerRevision>& revisions);

/// The number of the owner's next revision. `sorted` has all that there are, by sort_revisions().
[[nodiscard]] std::int64_t next_revision(std::span<const ControllerRevision> sorted);

/// A revision to create. The views must outlive it.
struct NewRevision {
  Key key;
  struct Label {
    std::string_view key;
    std::string_view value;
  };
  Label hash;             ///< Added to the labels.
  Value template_labels;  ///< The pod template's.
  Value annotations;      ///< The owner's, all of them.
  OwnerIdentity owner;
  std::string_view data;  ///< From revision_data().
  std::int64_t number = 1;
};

/// The JSON text of a revision, with the data literally.
[[nodiscard]] std::string revision_body(const NewRevision& revision);

/// Creates a revision. If there is one of its name with the same data already, the result is that
/// one, even if it has another owner; nothing if it has other data: then the name has collided.
[[nodiscard]] Result<std::optional<ControllerRevision>> create_revision(const Client& client,
                                                                        const NewRevision& revision,
                                                                        Numbers numbers);

/// Gives `revision` another number; no request if it has that one. A conflict is tried again with
/// the cached object, up to four times within some 300 ms. The result is the server's object.
[[nodiscard]] Result<ControllerRevision> renumber(const Context& context,
                                                  const Informer<ControllerRevision>& cache,
                                                  const ControllerRevision& revision,
                                                  std::int64_t number);

/// The revisions to delete, oldest first: as many of `dead`, which are sorted, as bring the
/// `counted` revisions down to `limit`. A negative limit keeps all.
[[nodiscard]] std::span<const ControllerRevision> surplus(std::span<const ControllerRevision> dead,
                                                          std::size_t counted, std::int64_t limit);

/// Deletes one after another, and stops at the first error. A revision that is gone is also an
/// error.
[[nodiscard]] Status delete_revisions(const Client& client,
                                      std::span<const ControllerRevision> revisions);

}  // namespace davit::history
