/// The messages between a host and the child process of an isolated plugin, and their frames. Pure.
/// docs/decisions/034-an-isolated-plugin-is-a-child-host.md says why there are so few.
///
/// A frame is one packet: the kind (1 byte), then the fields in order. Integers are little-endian,
/// a boolean is a byte of 0 or 1, a text is its length (4 bytes) and its content in UTF-8; bytes
/// have no such rule. Nothing may follow: what was decoded encodes to the same frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace davit::host {

/// Increases with each change of a message. Both sides are the same program, so others are refused.
inline constexpr std::uint32_t kIsolationProtocol = 2;

/// The largest frame. The kernel keeps a packet in one piece of memory, and 64 KiB of it are to be
/// had also when memory is scarce.
inline constexpr std::size_t kFrameBytesMax = 64 * 1024;
inline constexpr std::size_t kNameBytesMax = 253;  ///< Controllers and host names: a DNS name.
inline constexpr std::size_t kLogLineBytesMax = 4096;
inline constexpr std::size_t kReasonBytesMax = 1024;
inline constexpr std::size_t kStateBytesMax = 32;        ///< See ControllerState::state.
inline constexpr std::size_t kPartBytesMax = 48 * 1024;  ///< The rest is in further frames.
inline constexpr std::size_t kTargetBytesMax = 8192;     ///< As long as servers take a URL.
inline constexpr std::size_t kContentTypeBytesMax = 128;

/// @name From the child
/// @{

/// The first message: the child is locked and has not opened the plugin.
struct Locked {
  std::uint32_t protocol = kIsolationProtocol;
  std::uint32_t landlock_version = 0;       ///< The kernel's interface; 0: there was none.
  bool memory_is_write_or_execute = false;  ///< The kernel enforces it, beside the filter.
  friend bool operator==(const Locked&, const Locked&) = default;
};
/// The plugin's controllers are initialised and their caches filled.
struct Ready {
  friend bool operator==(const Ready&, const Ready&) = default;
};
enum class ChildSeverity : std::uint8_t { kInfo, kWarning, kError };
struct LogLine {
  ChildSeverity severity = ChildSeverity::kInfo;
  std::string text;
  friend bool operator==(const LogLine&, const LogLine&) = default;
};
/// The state of a controller.
struct ControllerReport {
  std::string controller;
  std::string state;          ///< See ControllerState::state.
  std::uint32_t waiting = 0;  ///< Keys.
  bool is_healthy = false;
  std::string reason;  ///< Why the health check fails; empty if it is healthy.
  friend bool operator==(const ControllerReport&, const ControllerReport&) = default;
};
/// A wish for a connection. The host answers it with Connected.
struct Connect {
  std::uint32_t id = 0;
  std::string server;      ///< A name or an address: letters, digits, '-', '.' and ':'.
  std::uint16_t port = 0;  ///< Not 0.
  friend bool operator==(const Connect&, const Connect&) = default;
};
/// No sync runs and none begins: the child ends.
struct Drained {
  friend bool operator==(const Drained&, const Drained&) = default;
};
/// The child ends because it cannot serve: no server responds, or an InitFunc failed.
struct Failed {
  std::string reason;
  friend bool operator==(const Failed&, const Failed&) = default;
};
/// A part of the answer to an Ask.
struct AnswerPart {
  std::uint32_t id = 0;
  std::string bytes;  ///< Not empty.
  friend bool operator==(const AnswerPart&, const AnswerPart&) = default;
};
/// The answer to an Ask: what its parts were.
struct Answer {
  std::uint32_t id = 0;
  std::uint16_t status = 0;  ///< As HTTP has it. The body of an error is its reason.
  std::uint32_t form = 0;    ///< The format of a state.
  std::string content_type;
  friend bool operator==(const Answer&, const Answer&) = default;
};
/// @}

/// @name From the host
/// @{

/// The token of the plugin's ServiceAccount, in place of the one before.
struct Token {
  std::string token;
  friend bool operator==(const Token&, const Token&) = default;
};
/// Writes may be sent until then.
struct MayWrite {
  std::uint64_t until_ns = 0;  ///< On CLOCK_BOOTTIME; 0: no longer.
  friend bool operator==(const MayWrite&, const MayWrite&) = default;
};
/// The connection that Connect asked for comes along as a descriptor, or not.
struct Connected {
  std::uint32_t id = 0;
  std::string failure;  ///< Empty: the descriptor is there.
  friend bool operator==(const Connected&, const Connected&) = default;
};
/// Bytes that belong to the Ask with this id, which follows.
struct AskPart {
  std::uint32_t id = 0;
  std::string bytes;  ///< Not empty.
  friend bool operator==(const AskPart&, const AskPart&) = default;
};
enum class AskKind : std::uint8_t {
  kBegin,       ///< Sync from now on. Until then the child fills its caches only.
  kPage,        ///< A page of the child: a path with a query.
  kWriteState,  ///< Drain a controller, and write its state (davit.state/1). 404: it has none.
  kReadState,   ///< Give a controller the state in the parts. 204: it takes none.
  kResume,      ///< Let the controllers that kWriteState has drained sync again.
};
/// A question. The child answers with Answer.
struct Ask {
  std::uint32_t id = 0;
  AskKind kind = AskKind::kBegin;
  std::string text;        ///< The target of a page, or the name of a controller.
  std::uint32_t form = 0;  ///< The format of the state, with kReadState.
  friend bool operator==(const Ask&, const Ask&) = default;
};
/// Hand out no further key, let running syncs end, and answer with Drained.
struct Drain {
  friend bool operator==(const Drain&, const Drain&) = default;
};
/// @}

using ChildMessage = std::variant<Locked, Ready, LogLine, ControllerReport, Connect, Drained,
                                  Failed, AnswerPart, Answer>;
using HostMessage = std::variant<Token, MayWrite, Connected, AskPart, Ask, Drain>;

/// The frame of a message whose fields keep their limits.
[[nodiscard]] std::string encode(const ChildMessage& message);
[[nodiscard]] std::string encode(const HostMessage& message);

/// The message of a frame; it keeps all limits. kInvalid, in one line that quotes nothing: it is
/// not one.
[[nodiscard]] Result<ChildMessage> decode_child_message(std::string_view frame);
[[nodiscard]] Result<HostMessage> decode_host_message(std::string_view frame);

}  // namespace davit::host
