#include "sandbox/rest/watch_event.hpp"

#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

void open_event(std::string& out, std::string_view type) {
  out += R"({"type":")";
  out += type;
  out += R"(","object":)";
}

void close_event(std::string& out) { out += "}\n"; }

}  // namespace

std::string_view shown_type(std::string_view type, Selected selected) {
  if (type == kDeletedEvent || !selected.after) return selected.before ? kDeletedEvent : "";
  return selected.before ? kModifiedEvent : kAddedEvent;
}

WatchEventWriter::WatchEventWriter(ResourcePtr resource, OutputForm form, const Clock& clock)
    : resource_(std::move(resource)), form_(form), clock_(clock) {}

void WatchEventWriter::append(std::string& out, std::string_view type, const Version& version) {
  if (form_.form != Form::kWhole || form_.media != Media::kJson)
    return append(out, type, load(version, *resource_));
  open_event(out, type);
  if (is_stored_as(version, *resource_)) {
    out += version.text;
  } else {
    append_text(out, load(version, *resource_));
  }
  close_event(out);
}

void WatchEventWriter::append_at(std::string& out, std::string_view type, const Version& version,
                                 Revision revision) {
  Json object = load(version, *resource_);
  object["metadata"].set("resourceVersion", std::to_string(revision));
  append(out, type, object);
}

void WatchEventWriter::append_bookmark(std::string& out, Bookmark what, Revision revision) {
  Json metadata = Json::object({{"resourceVersion", std::to_string(revision)}});
  if (what == Bookmark::kInitialEventsEnd) {
    metadata.set("annotations", Json::object({{"k8s.io/initial-events-end", "true"}}));
  }
  append(out, "BOOKMARK",
         Json::object({{"kind", resource_->kind},
                       {"apiVersion", resource_->api_version()},
                       {"metadata", std::move(metadata)}}));
}

void WatchEventWriter::append_error(std::string& out, const ApiError& error) const {
  append_event(out, "ERROR", to_status(error));
}

void WatchEventWriter::append(std::string& out, std::string_view type, const Json& object) {
  if (form_.form == Form::kTable) {
    Json metadata =
        Json::object({{"resourceVersion", object.text_at({"metadata", "resourceVersion"})}});
    append_event(out, type,
                 to_table(*resource_, {&object, 1}, std::move(metadata), form_, columns_,
                          clock_.wall_now()));
    columns_ = ShowColumns::kNo;
  } else if (form_.form == Form::kWhole) {
    append_event(out, type, object);
  } else {
    append_event(out, type, to_partial_metadata(object, form_));
  }
}

void WatchEventWriter::append_event(std::string& out, std::string_view type,
                                    const Json& object) const {
  if (form_.media == Media::kProtobuf) {
    // Agreed on only where there is such a form.
    out += encode_protobuf_event(type, object).value_or("");
    return;
  }
  open_event(out, type);
  append_text(out, object);
  close_event(out);
}

}  // namespace davit::sandbox
