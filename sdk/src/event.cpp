#include <davit/event.hpp>
#include <string>

namespace davit {

void EventRecorder::record(const Resource& resource, const ObjectView& about, std::string_view type,
                           std::string_view reason, std::string_view message) const {
  record(resource, EventSubject{about.ns(), about.name(), about.uid(), about.resource_version()},
         type, reason, message);
}

void EventRecorder::record(const Resource& resource, const EventSubject& about,
                           std::string_view type, std::string_view reason,
                           std::string_view message) const {
  const std::string api_version = resource.api_version();
  davit_reference reference{};
  reference.size = sizeof(reference);
  reference.api_version = to_c(api_version);
  reference.kind = to_c(resource.kind);
  reference.ns = to_c(about.ns);
  reference.name = to_c(about.name);
  reference.uid = to_c(about.uid);
  reference.resource_version = to_c(about.resource_version);
  static_cast<void>(
      api_->event->record(api_->call(), &reference, to_c(type), to_c(reason), to_c(message)));
}

}  // namespace davit
