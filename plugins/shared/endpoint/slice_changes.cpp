#include "plugins/shared/endpoint/slice_changes.hpp"

#include <utility>

namespace davit::endpoint {

Handlers<EndpointSlice> slice_handlers(std::string_view manager, SliceGenerations& generations,
                                       std::function<void(const EndpointSlice&)> queue) {
  const auto is_managed = [manager](const EndpointSlice& slice) {
    return slice.manager() == manager;
  };
  return {.added =
              [=, &generations](const EndpointSlice& slice) {
                if (is_managed(slice) && generations.should_sync(slice)) queue(slice);
              },
          .updated =
              [=, &generations](const EndpointSlice& old, const EndpointSlice& slice) {
                const bool moved = old.service_name() != slice.service_name();
                const bool handed_over = is_managed(old) != is_managed(slice);
                if (moved || (handed_over && is_managed(old))) generations.handle_relabeling(old);
                if (moved) {
                  queue(slice);
                  queue(old);
                } else if (handed_over || (is_managed(slice) && generations.should_sync(slice))) {
                  queue(slice);
                }
              },
          .deleted =
              [=, &generations](const EndpointSlice& slice) {
                if (is_managed(slice) &&
                    generations.handle_deletion(slice) == SliceGenerations::Deletion::kUnexpected) {
                  queue(slice);
                }
              }};
}

}  // namespace davit::endpoint
