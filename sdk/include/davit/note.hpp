/// Note: a plugin's declaration in C++. At compile time it becomes the text of the ELF note, which
/// docs/ABI.md describes; errors in it are compile errors.
///
///     constexpr void declare(Note& note) {
///       note.plugin("greeter", "0.1.0")
///           .controller({.name = "greeter-controller", .factory = &make<GreeterController>})
///           .rule<Pod>({"patch"})
///           .watch<Pod>({"metadata.labels", "metadata.annotations"});
///     }
///     DAVIT_PLUGIN(declare);
#pragma once

#include <davit/abi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/controller.hpp>
#include <davit/kube/resource.hpp>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

namespace davit {

class Context;

/// Creates a controller; everything that it opens through the context belongs to that controller.
using Factory = InitResult (*)(Context&);

/// One row of the InitFunc table.
struct Row {
  std::string_view name;
  Factory factory;
};

/// A text of a note, or the path of the text in the controller's configuration.
struct Declared {
  constexpr Declared() = default;
  constexpr Declared(const char* text) : text(text) {}       // NOLINT(google-explicit-constructor)
  constexpr Declared(std::string_view text) : text(text) {}  // NOLINT(google-explicit-constructor)

  std::string_view text = {};
  std::string_view config =
      {};                    ///< The path below `config` of the manifest; empty: `text` applies.
  bool has_default = false;  ///< `text` applies if the configuration lacks the path.
};
/// A text from the operator's configuration; if it is missing, the controller does not start.
[[nodiscard]] constexpr Declared from_config(std::string_view place) {
  Declared out;
  out.config = place;
  return out;
}
/// A text from the operator's configuration, or `fallback`.
[[nodiscard]] constexpr Declared from_config(std::string_view place, std::string_view fallback) {
  Declared out(fallback);
  out.config = place;
  out.has_default = true;
  return out;
}

/// A factory, or none. Stores whether there is one, because under UndefinedBehaviorSanitizer g++
/// cannot compare a function with nullptr at compile time.
struct DeclaredFactory {
  constexpr DeclaredFactory() = default;
  constexpr DeclaredFactory(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  constexpr DeclaredFactory(Factory of)         // NOLINT(google-explicit-constructor)
      : factory(of), is_given(true) {}

  Factory factory = nullptr;
  bool is_given = false;
};

/// The texts are borrowed while the declaration is evaluated, at compile time.
struct ControllerDeclaration {
  using Texts = std::initializer_list<std::string_view>;

  std::string_view name;    ///< "replicaset-controller"
  DeclaredFactory factory;  ///< &make<ReplicaSetController>
  Texts aliases = {};       ///< Other names for --controllers.
  std::uint32_t workers = 1;
  std::string_view client_name = {};      ///< Names its requests; empty: its name.
  std::string_view event_component = {};  ///< Source of its Events; empty: the client's name.
  bool off_by_default = false;            ///< Runs only if named.
  bool without_leadership = false;        ///< May run on a standby.
};

struct RuleOptions {
  std::string_view subresource = {};
  std::initializer_list<std::string_view> resource_names = {};
  std::initializer_list<std::string_view> namespaces = {};  ///< None: all.
  Declared namespaces_from = {};                            ///< Instead: from_config().
};

struct WatchOptions {
  Declared label_selector = {};  ///< The informer is opened with the same text.
  Declared field_selector = {};
  std::initializer_list<std::string_view> namespaces = {};  ///< None: all.
  Declared namespaces_from = {};                            ///< Instead: from_config().
};

/// For a rule that applies to every current and future resource of the server.
inline constexpr Resource kEveryResource{"*", "*", "*", ""};

/// Filled by a declaration function, at compile time only. An error in the declaration "calls" a
/// function that is not constexpr, whose name is the text of the compile error.
class Note {
 public:
  using Texts = std::initializer_list<std::string_view>;

  /// For detail::declared_note(); with null pointers it only counts.
  constexpr Note(char* text, Row* rows) : text_(text), rows_(rows) {}

  /// Must be called first. `name` consists of lower-case letters, digits and dashes.
  constexpr Note& plugin(std::string_view name, std::string_view version) {
    if (size_ != 0) error_plugin_is_declared_once_and_first();
    put("{\"name\":");
    name_of(name);
    put(",\"version\":");
    string(version);
    put(",\"abi\":\"" DAVIT_ABI_VERSION_TEXT "\"");
    requires_any_ = false;
    // The SDK opens these even if a controller does not use them.
    for (const std::string_view each :
         {"davit.object/1", "davit.informer/1", "davit.queue/1", "davit.client/1", "davit.timer/1",
          "davit.event/1", "davit.log/1", "davit.clock/1", "davit.random/1", "davit.metric/1",
          "davit.config/1"}) {
      needs(each);
    }
    return *this;
  }

  /// Declares a capability that the plugin requires, such as "davit.http/1", in addition to those
  /// of every plugin. Call it after plugin() and before the first controller().
  constexpr Note& needs(std::string_view capability) {
    if (size_ == 0 || in_controller_) error_needs_comes_between_plugin_and_controller();
    put(requires_any_ ? "," : ",\"requires\":[");
    requires_any_ = true;
    string(capability);
    return *this;
  }

  /// Begins a controller: the rules and watches that follow belong to it.
  constexpr Note& controller(const ControllerDeclaration& of) {
    if (size_ == 0) error_plugin_is_declared_once_and_first();
    if (!of.factory.is_given) error_a_controller_needs_a_factory();
    if (in_controller_) {
      end_controller();
      put(",{");
    } else {
      put("],\"controllers\":[{");
    }
    in_controller_ = true;
    section_ = Section::kNone;
    put("\"name\":");
    name_of(of.name);
    texts(",\"aliases\":", of.aliases);
    put(",\"workers\":");
    number(of.workers);
    if (!of.client_name.empty()) {
      put(",\"clientName\":");
      string(of.client_name);
    }
    if (!of.event_component.empty()) {
      put(",\"eventComponent\":");
      string(of.event_component);
    }
    if (of.off_by_default) put(",\"offByDefault\":true");
    if (of.without_leadership) put(",\"withoutLeadership\":true");
    if (rows_ != nullptr) {
      for (std::size_t i = 0; i < row_count_; ++i) {
        if (rows_[i].name == of.name) error_two_controllers_have_the_same_name();
      }
      rows_[row_count_] = Row{of.name, of.factory.factory};
    }
    ++row_count_;
    return *this;
  }

  /// Declares a right. A watch implies get, list and watch. Rules come before watches.
  constexpr Note& rule(const Resource& resource, Texts verbs, const RuleOptions& options = {}) {
    begin(Section::kRules, ",\"rules\":[");
    if (verbs.size() == 0) error_a_rule_needs_a_verb();
    if (resource.resource.empty()) error_a_rule_needs_a_resource();
    put("{\"group\":");
    string(resource.group);
    put(",\"resource\":");
    string(resource.resource);
    if (!options.subresource.empty()) {
      put(",\"subresource\":");
      string(options.subresource);
    }
    texts(",\"verbs\":", verbs);
    texts(",\"resourceNames\":", options.resource_names);
    texts(",\"namespaces\":", options.namespaces);
    member(",\"namespaces\":", options.namespaces_from);
    put("}");
    return *this;
  }
  template <typename View>
  constexpr Note& rule(Texts verbs, const RuleOptions& options = {}) {
    return rule(View::kResource, verbs, options);
  }
  /// Declares the rights to create and patch Events, which an EventRecorder does not need.
  constexpr Note& events() {
    rule({.group = "", .version = "v1", .resource = "events", .kind = "Event"},
         {"create", "patch"});
    return rule({.group = "events.k8s.io", .version = "v1", .resource = "events", .kind = "Event"},
                {"create", "patch"});
  }

  /// Declares the objects of open_informer<View>(): whole, or the fields of View::kProjection if
  /// the view has one.
  template <typename View>
  constexpr Note& watch(const WatchOptions& options = {}) {
    if constexpr (requires { View::kProjection; }) {
      return watch_resource(View::kResource, std::data(View::kProjection),
                            std::size(View::kProjection), options);
    } else {
      return watch_resource(View::kResource, nullptr, 0, options);
    }
  }
  /// Declares only these fields. Others read as undeclared.
  template <typename View>
  constexpr Note& watch(Texts projection, const WatchOptions& options = {}) {
    return watch_resource(View::kResource, projection.begin(), projection.size(), options);
  }
  /// The same with the fields in an array, such as kFieldPaths of a generated type.
  template <typename View, std::size_t kCount>
  constexpr Note& watch(const std::array<std::string_view, kCount>& projection,
                        const WatchOptions& options = {}) {
    return watch_resource(View::kResource, projection.data(), kCount, options);
  }

  /// Declares the servers that davit.http/1 may reach. Call it after the watches.
  constexpr Note& http(Texts hosts) {
    begin_http();
    texts("\"hosts\":", hosts);
    put("}");
    return *this;
  }
  /// The same from the configuration, with the trusted roots; see docs/ABI.md.
  constexpr Note& http(const Declared& hosts, const Declared& roots = {}) {
    begin_http();
    member("\"hosts\":", hosts);
    member(",\"roots\":", roots);
    put("}");
    return *this;
  }

  /// Ends the text.
  constexpr void finish() {
    if (!in_controller_) error_a_note_needs_a_controller();
    end_controller();
    put("]}");
  }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr std::size_t row_count() const { return row_count_; }

 private:
  enum class Section { kNone, kRules, kWatches, kHttp };

  // These are not constexpr, so that the compiler stops at a call and names the function.
  static void error_plugin_is_declared_once_and_first() {}
  static void error_needs_comes_between_plugin_and_controller() {}
  static void error_a_note_needs_a_controller() {}
  static void error_a_controller_needs_a_factory() {}
  static void error_two_controllers_have_the_same_name() {}
  static void error_rules_and_watches_follow_a_controller() {}
  static void error_the_order_is_rules_then_watches_then_http() {}
  static void error_a_rule_needs_a_verb() {}
  static void error_a_rule_needs_a_resource() {}
  static void error_a_watch_needs_a_version_and_a_resource() {}
  static void error_names_have_lower_case_letters_digits_and_dashes() {}
  static void error_texts_have_no_control_characters() {}

  constexpr Note& watch_resource(const Resource& resource, const std::string_view* paths,
                                 std::size_t count, const WatchOptions& options) {
    begin(Section::kWatches, ",\"watches\":[");
    if (resource.version.empty() || resource.resource.empty()) {
      error_a_watch_needs_a_version_and_a_resource();
    }
    put("{\"group\":");
    string(resource.group);
    put(",\"version\":");
    string(resource.version);
    put(",\"resource\":");
    string(resource.resource);
    member(",\"labelSelector\":", options.label_selector);
    member(",\"fieldSelector\":", options.field_selector);
    texts(",\"namespaces\":", options.namespaces);
    member(",\"namespaces\":", options.namespaces_from);
    texts(",\"projection\":", paths, count);
    put("}");
    return *this;
  }

  constexpr void begin(Section section, std::string_view opening) {
    if (!in_controller_) error_rules_and_watches_follow_a_controller();
    if (section_ == section) return put(",");
    if (section_ > section) error_the_order_is_rules_then_watches_then_http();
    end_section();
    section_ = section;
    put(opening);
  }
  constexpr void begin_http() { begin(Section::kHttp, ",\"http\":{"); }
  constexpr void end_section() {
    if (section_ == Section::kRules || section_ == Section::kWatches) put("]");
  }
  constexpr void end_controller() {
    end_section();
    put("}");
  }

  constexpr void put(std::string_view text) {
    if (text_ != nullptr) {
      for (std::size_t i = 0; i < text.size(); ++i) text_[size_ + i] = text[i];
    }
    size_ += text.size();
  }
  constexpr void string(std::string_view text) {
    put("\"");
    for (const char& each : text) {
      if (static_cast<unsigned char>(each) < 0x20) error_texts_have_no_control_characters();
      if (each == '"' || each == '\\') put("\\");
      put(std::string_view(&each, 1));
    }
    put("\"");
  }
  constexpr void name_of(std::string_view name) {
    if (name.empty()) error_names_have_lower_case_letters_digits_and_dashes();
    for (const char each : name) {
      const bool fits = (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '-';
      if (!fits) error_names_have_lower_case_letters_digits_and_dashes();
    }
    string(name);
  }
  constexpr void number(std::uint32_t value) {
    char digits[10] = {};
    std::size_t at = sizeof(digits);
    do {
      digits[--at] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    put(std::string_view(digits + at, sizeof(digits) - at));
  }
  constexpr void texts(std::string_view key, const std::string_view* first, std::size_t count) {
    if (count == 0) return;
    put(key);
    for (std::size_t i = 0; i < count; ++i) {
      put(i == 0 ? "[" : ",");
      string(first[i]);
    }
    put("]");
  }
  constexpr void texts(std::string_view key, Texts all) { texts(key, all.begin(), all.size()); }
  constexpr void member(std::string_view key, const Declared& value) {
    if (value.config.empty()) {
      if (value.text.empty()) return;
      put(key);
      return string(value.text);
    }
    put(key);
    put("{\"config\":");
    string(value.config);
    if (value.has_default) {
      put(",\"default\":");
      string(value.text);
    }
    put("}");
  }

  char* text_;
  Row* rows_;
  std::size_t size_ = 0;
  std::size_t row_count_ = 0;
  Section section_ = Section::kNone;
  bool in_controller_ = false;
  bool requires_any_ = false;
};

/// Fills a Note.
using Declare = void (*)(Note&);

namespace detail {

/// The note and the rows of a declaration.
template <std::size_t kTextSize, std::size_t kRowCount>
struct DeclaredNote {
  std::array<char, kTextSize> text{};
  std::array<Row, kRowCount> rows{};
};

template <Declare kDeclare>
consteval auto declared_note() {
  constexpr auto kSizes = [] {
    Note note(nullptr, nullptr);
    kDeclare(note);
    note.finish();
    return std::array<std::size_t, 2>{note.size(), note.row_count()};
  }();
  DeclaredNote<kSizes[0], kSizes[1]> out;
  Note note(out.text.data(), out.rows.data());
  kDeclare(note);
  note.finish();
  return out;
}
template <Declare kDeclare>
inline constexpr auto kDeclaredNote = declared_note<kDeclare>();

/// The ELF note, as DAVIT_NOTE of abi.h places it.
template <std::size_t kTextSize>
struct ElfNote {
  std::uint32_t owner_size = sizeof(DAVIT_NOTE_OWNER);
  std::uint32_t text_size = kTextSize + 1;  // With its NUL.
  std::uint32_t type = DAVIT_NOTE_TYPE;
  char owner[8] = DAVIT_NOTE_OWNER;
  char text[(kTextSize + 1 + 3) / 4 * 4] = {};
};

template <Declare kDeclare>
consteval auto elf_note() {
  constexpr const auto& kFrom = kDeclaredNote<kDeclare>.text;
  ElfNote<std::size(kFrom)> out;
  for (std::size_t i = 0; i < kFrom.size(); ++i) out.text[i] = kFrom[i];
  return out;
}

}  // namespace detail

/// The JSON text of a declaration, for a test: testing::Cluster({.note = note_text<declare>()}).
template <Declare kDeclare>
[[nodiscard]] std::string note_text() {
  return {detail::kDeclaredNote<kDeclare>.text.data(), detail::kDeclaredNote<kDeclare>.text.size()};
}

}  // namespace davit
