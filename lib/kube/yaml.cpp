#include "lib/kube/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <davit/hex.hpp>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "lib/base/json_text.hpp"
#include "lib/base/utf8.hpp"
#include "lib/kube/strict_json.hpp"

namespace davit {
namespace {

/// Deeper than any configuration, far from the stack's end.
constexpr std::size_t kYamlDepthMax = 100;
/// Counts all nodes, including those that aliases repeat; a kubeconfig of 1,000 clusters has
/// 20,000.
constexpr std::size_t kYamlNodesMax = 200'000;
/// Bytes of keys and values that anchors and aliases may repeat: several times the largest object
/// that an API server stores.
constexpr std::size_t kYamlRepeatedBytesMax = std::size_t{4} << 20;
/// Further ones do not help, and each may quote a tag that a directive has made long.
constexpr std::size_t kYamlMistakesMax = 100;
constexpr std::size_t kShownTagMax = 80;
constexpr std::string_view kDuplicateKey = "duplicate key ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// YAML 1.2, 10.3.2: [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_float(std::string_view text) {
  std::size_t whole = 0;
  std::size_t fraction = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) ++whole;
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && is_digit(text[i]); ++i) ++fraction;
  }
  if (whole + fraction == 0) return false;
  if (i == text.size()) return true;
  if (text[i] != 'e' && text[i] != 'E') return false;
  ++i;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  return all_of(text.substr(i), "0123456789");
}

YamlNode::Kind kind_of_plain(std::string_view text) {
  using Kind = YamlNode::Kind;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return Kind::kNull;
  }
  for (const std::string_view word : {"true", "True", "TRUE", "false", "False", "FALSE"}) {
    if (text == word) return Kind::kBoolean;
  }
  if (text.size() > 2 && text.starts_with("0x") && is_hex(text.substr(2))) {
    return Kind::kInteger;
  }
  if (text.starts_with("0o") && all_of(text.substr(2), "01234567")) return Kind::kInteger;
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return Kind::kFloat;
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return Kind::kFloat;
  if (all_of(text, "0123456789")) return Kind::kInteger;
  return is_float(text) ? Kind::kFloat : Kind::kString;
}

/// The size of a node and all below it.
struct Weight {
  std::size_t nodes = 0;
  std::size_t bytes = 0;  // Keys and values together.
};

Weight weight_of(const YamlNode& node) {
  Weight all{1, node.text.size()};
  const auto add = [&all](const YamlNode& each) {
    const Weight below = weight_of(each);
    all.nodes += below.nodes;
    all.bytes += below.bytes;
  };
  for (const YamlNode& item : node.items) add(item);
  for (const YamlMember& member : node.members) {
    all.bytes += member.key.size();
    add(member.value);
  }
  return all;
}

/// Receives the library's events and builds the tree. Throws YAML::ParserException where going on
/// makes no sense.
class YamlEvents : public YAML::EventHandler {
 public:
  YamlEvents(const std::string& file, int first_line, YamlDocument& out)
      : file_(file), first_line_(first_line), out_(out) {}

  /// The innermost sequence or mapping that has no end yet; null if there is none.
  [[nodiscard]] const YamlNode* unfinished() const {
    return frames_.empty() ? nullptr : &frames_.back().node;
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(node_at(mark, YamlNode::Kind::kNull), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end())
      throw YAML::ParserException(mark, "an alias inside its own anchor");
    count_copy(mark, found->second.weight);
    YamlNode copy = found->second.node;
    copy.line = mark.line + first_line_;
    copy.column = mark.column + 1;
    place(std::move(copy), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = node_at(mark, YamlNode::Kind::kString);
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    node.text = value;
    if (!node.quoted) node.kind = kind_of_plain(value);
    if (node.kind == YamlNode::Kind::kNull) node.text.clear();
    if (!node.quoted && tag != "?") refuse_tag(mark, tag);
    place(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kMapping);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  /// A sequence or mapping that is not complete yet.
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::optional<YamlNode> key;              // Mappings: read, its value not yet.
    std::map<std::string, std::size_t> keys;  // Their places in `node`.
  };

  YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) {
    ++nodes_;
    check_nodes(mark);
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + first_line_;
    node.column = mark.column + 1;
    return node;
  }

  void count_copy(const YAML::Mark& mark, const Weight& weight) {
    nodes_ += weight.nodes;
    check_nodes(mark);
    repeated_bytes_ += weight.bytes;
    if (repeated_bytes_ <= kYamlRepeatedBytesMax) return;
    throw YAML::ParserException(mark, "anchors and aliases repeat more than " +
                                          std::to_string(kYamlRepeatedBytesMax) + " bytes");
  }

  void check_nodes(const YAML::Mark& mark) const {
    if (nodes_ <= kYamlNodesMax) return;
    throw YAML::ParserException(mark, "more than " + std::to_string(kYamlNodesMax) + " values");
  }

  void add_mistake(const YAML::Mark& mark, std::string text) {
    out_.mistakes.push_back({file_, mark.line + first_line_, mark.column + 1, std::move(text)});
  }
  void mistake(const YAML::Mark& mark, std::string text) {
    add_mistake(mark, std::move(text));
    if (++others_ >= kYamlMistakesMax) {
      throw YAML::ParserException(mark, "more mistakes may follow");
    }
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    const std::string shown =
        tag.size() <= kShownTagMax ? tag : tag.substr(0, kShownTagMax) + "...";
    mistake(mark, "the tag " + shown + " is not supported");
  }
  /// The place in the library's counting, from 0.
  [[nodiscard]] YAML::Mark mark_of(const YamlNode& node) const {
    YAML::Mark mark;
    mark.line = node.line - first_line_;
    mark.column = node.column - 1;
    return mark;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    if (frames_.size() >= kYamlDepthMax) {
      throw YAML::ParserException(mark, "nested deeper than " + std::to_string(kYamlDepthMax));
    }
    const bool usual = tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:map" ||
                       tag == "tag:yaml.org,2002:seq";
    if (!usual) refuse_tag(mark, tag);
    frames_.push_back({node_at(mark, kind), anchor, std::nullopt, {}});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    place(std::move(frame.node), frame.anchor);
  }

  void place(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      const Weight weight = weight_of(node);
      count_copy(mark_of(node), weight);
      anchored_[anchor] = {node, weight};
    }
    if (frames_.empty()) {
      out_.root = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == YamlNode::Kind::kSequence) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.key) {
      frame.key = std::move(node);
    } else {
      add_member(frame, std::move(node));
    }
  }

  void add_member(Frame& frame, YamlNode value) {
    const YamlNode key = *std::exchange(frame.key, std::nullopt);
    const YAML::Mark mark = mark_of(key);
    if (key.kind == YamlNode::Kind::kMapping || key.kind == YamlNode::Kind::kSequence ||
        (key.is_null() && !key.quoted)) {
      mistake(mark, "a key must be text");
      return;
    }
    const auto [place, is_new] = frame.keys.emplace(key.text, frame.node.members.size());
    if (!is_new) {
      frame.node.members[place->second].value = std::move(value);
      // Some callers take these, so they do not end the reading.
      if (out_.repeated.size() < kYamlMistakesMax) {
        out_.repeated.push_back({key.line, key.text});
        add_mistake(mark, std::string(kDuplicateKey) + json_string(key.text));
      }
      return;
    }
    if (value.is_null()) {  // The library gives an absent value the place of what follows it.
      value.line = key.line;
      value.column = key.column;
    }
    frame.node.members.push_back({key.text, key.line, key.column, std::move(value)});
  }

  struct Anchored {
    YamlNode node;
    Weight weight;
  };

  const std::string& file_;
  const int first_line_;
  YamlDocument& out_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::size_t nodes_ = 0;
  std::size_t repeated_bytes_ = 0;
  std::size_t others_ = 0;  // Mistakes that are no repeated keys.
};

/// The library would take some control characters for the end of the file.
std::optional<Mistake> check_characters(std::string_view text, const std::string& file, int line) {
  int column = 1;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return Mistake{file, line, column, "not valid UTF-8"};
    const auto c = static_cast<unsigned char>(text[0]);
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f) {
      return Mistake{file, line, column, "a control character is not allowed here"};
    }
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
    text.remove_prefix(length);
  }
  return std::nullopt;
}

/// Says where a second document begins, if there is one.
class SecondDocument : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { ++values; }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { ++values; }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {
    ++values;
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  int line = 0;  // From 0.
  int values = 0;
};

/// The tree of a text that is JSON; nothing for any other. The library beneath refuses the two
/// escapes that JSON writes for a character beyond 16 bits, as YAML has one escape for it.
std::optional<YamlDocument> read_as_json(std::string_view text, const std::string& file, int line) {
  for (const std::string_view marker : {"---\n", "---\r\n"}) {
    if (!text.starts_with(marker)) continue;
    text.remove_prefix(marker.size());
    ++line;
  }
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '[')) {
    return std::nullopt;
  }
  YamlDocument document = parse_strict_json(text, file, line);
  if (!document.mistakes.empty()) return std::nullopt;
  return document;
}

}  // namespace

const Mistake* YamlDocument::other_mistake() const {
  const auto found = std::ranges::find_if(
      mistakes, [](const Mistake& each) { return !each.text.starts_with(kDuplicateKey); });
  return found == mistakes.end() ? nullptr : &*found;
}

YamlDocument parse_yaml(std::string_view text, const std::string& file, int first_line) {
  YamlDocument document;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (std::optional<Mistake> bad = check_characters(text, file, first_line)) {
    document.mistakes.push_back(std::move(*bad));
    return document;
  }
  if (auto json = read_as_json(text, file, first_line)) return std::move(*json);
  std::istringstream stream{std::string(text)};
  YamlEvents builder(file, first_line, document);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return document;
    SecondDocument second;
    if (parser.HandleNextDocument(second)) {
      document.mistakes.push_back(
          {file, second.line + first_line, 1, "only one document is allowed"});
    }
  } catch (const YAML::Exception& error) {
    Mistake mistake{file, error.mark.line + first_line, error.mark.column + 1, error.msg};
    // The library has no place for the end of the file: what is open there says more.
    if (error.mark.line <= 0 && error.mark.column <= 0 && builder.unfinished() != nullptr) {
      mistake.line = builder.unfinished()->line;
      mistake.column = builder.unfinished()->column;
    }
    document.mistakes.push_back(std::move(mistake));
  }
  return document;
}

}  // namespace davit
