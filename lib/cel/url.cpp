#include "lib/cel/url.hpp"

#include <algorithm>
#include <davit/kube/go_quote.hpp>
#include <davit/percent_code.hpp>
#include <optional>

namespace davit::cel {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

/// The first "%" without two hexadecimal digits, as Go's messages show it; empty if there is none.
std::string_view broken_escape(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    const std::string_view escape = text.substr(at, 3);
    if (!percent_unescaped(escape)) return escape;
  }
  return {};
}

Status escape_error(std::string_view escape) {
  return {Code::kInvalid, "invalid URL escape " + go_quoted(escape)};
}

/// Takes "scheme:" off the front of `text`.
Result<std::string> take_scheme(std::string_view& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_one_of(c, kLetters)) continue;
    if (is_one_of(c, kDigits) || is_one_of(c, "+-.")) {
      if (i == 0) return std::string();
      continue;
    }
    if (c != ':') return std::string();
    if (i == 0) return Status(Code::kInvalid, "missing protocol scheme");
    std::string scheme(text.substr(0, i));
    for (char& letter : scheme) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    text.remove_prefix(i + 1);
    return scheme;
  }
  return std::string();
}

Status bad_port(std::string_view port) {
  return {Code::kInvalid, "invalid port " + go_quoted(port) + " after host"};
}

bool is_port(std::string_view port) {
  return port.empty() ||
         (port[0] == ':' && port.find_first_not_of(kDigits, 1) == std::string_view::npos);
}

/// The host and port of an authority without user.
Status read_host(std::string_view text, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.rfind(']');
    if (end == std::string_view::npos) return {Code::kInvalid, "missing ']' in host"};
    port = text.substr(end + 1);
    url.hostname = text.substr(1, end - 1);
  } else {
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) port = text.substr(colon);
    url.hostname = text.substr(0, colon);
  }
  if (!is_port(port)) return bad_port(port);
  if (const std::string_view escape = broken_escape(text); !escape.empty())
    return escape_error(escape);
  for (const char c : text) {
    const bool plain = is_one_of(c, kLetters) || is_one_of(c, kDigits) ||
                       is_one_of(c, "-_.~!$&'()*+,;=:[]<>\"%") ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (!plain) {
      return {Code::kInvalid,
              "invalid character " + go_quoted(std::string(1, c)) + " in host name"};
    }
  }
  url.host = text;
  url.port = port.empty() ? port : port.substr(1);
  return {};
}

/// The path in escaped form: as written if that is valid, else escaped again.
Result<std::string> escaped_path(std::string_view path) {
  constexpr std::string_view kPlain = "-_.~$&+,/:;=@";
  if (const std::string_view escape = broken_escape(path); !escape.empty())
    return escape_error(escape);
  const bool valid = std::all_of(path.begin(), path.end(), [&](char c) {
    return is_one_of(c, kLetters) || is_one_of(c, kDigits) || is_one_of(c, kPlain) ||
           is_one_of(c, "!'()*[]%");
  });
  if (valid) return std::string(path);
  return percent_escaped(percent_unescaped(path).value_or(""), kPlain);
}

/// Pairs that cannot be read are left out, as url.Query does.
void read_query(std::string_view text, Url& url) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty() || is_one_of(';', pair)) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::optional<std::string> key = percent_unescaped(pair.substr(0, equals), Plus::kBlank);
    const std::optional<std::string> value =
        percent_unescaped(pair.substr(std::min(equals + 1, pair.size())), Plus::kBlank);
    if (!key || !value) continue;
    auto known = std::find_if(url.query.begin(), url.query.end(),
                              [&](const auto& entry) { return entry.first == *key; });
    if (known == url.query.end()) known = url.query.insert(known, {*key, {}});
    known->second.push_back(*value);
  }
}

Status read_url(std::string_view text, Url& url) {
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
  });
  if (control) return {Code::kInvalid, "net/url: invalid control character in URL"};
  if (text.empty()) return {Code::kInvalid, "empty url"};
  Result<std::string> scheme = take_scheme(text);
  if (!scheme) return scheme.error();
  url.scheme = *scheme;
  if (!text.starts_with('/')) {
    if (url.scheme.empty()) return {Code::kInvalid, "invalid URI for request"};
    return {};  // Opaque: mailto:someone.
  }
  text = text.substr(0, text.find('#'));
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    constexpr std::size_t kQueryMax = 1 << 16;  // Keys are searched one by one.
    read_query(text.substr(mark + 1, kQueryMax), url);
    text = text.substr(0, mark);
  }
  if (!url.scheme.empty() && text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t slash = std::min(text.find('/'), text.size());
    std::string_view authority = text.substr(0, slash);
    text.remove_prefix(slash);
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
      authority.remove_prefix(at + 1);
    if (Status status = read_host(authority, url); !status.ok()) return status;
  }
  Result<std::string> path = escaped_path(text);
  if (!path) return path.error();
  url.escaped_path = std::move(*path);
  return {};
}

}  // namespace

Result<Url> parse_request_url(std::string_view text) {
  Url url;
  url.text = text;
  if (const Status status = read_url(text, url); !status.ok())
    return Status(status.code(), "parse " + go_quoted(text) + ": " + status.message());
  return url;
}

}  // namespace davit::cel
