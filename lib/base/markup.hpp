/// Text for documents of HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace davit {

/// `text` as the content of an element or of a quoted attribute, in HTML as in XML. Control
/// characters, which neither can have, become '?'. Everything that comes from outside goes through
/// here.
[[nodiscard]] std::string markup_escaped(std::string_view text);

}  // namespace davit
