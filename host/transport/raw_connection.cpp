#include "host/transport/raw_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "host/transport/curl_options.hpp"
#include "host/transport/pooled_connection.hpp"
#include "host/transport/server_url.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/start_thread.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {

namespace {

/// Bytes that wait in one direction. TCP makes the sender wait for the rest.
constexpr std::size_t kWaitingMax = std::size_t{256} << 10U;
/// A TLS record.
constexpr std::size_t kRecordBytes = std::size_t{16} << 10U;

std::shared_ptr<const TlsMaterial> material_of(
    const ConnectionConfig& config, const std::shared_ptr<const ClientCertificate>& certificate) {
  auto out = std::make_shared<TlsMaterial>();
  if (!config.ca_data.empty()) {
    out->roots = TlsMaterial::Roots::kGiven;
    out->ca = config.ca_data;
  }
  if (certificate != nullptr) {
    out->cert = certificate->cert;
    out->key = certificate->key;
  }
  return out;
}

/// The kernel sends the rest of `socket` after its closing, which would otherwise reset it; see
/// set_connection_options().
void close_in_order(int socket) {
  if (mutant("tunnel-end")) return;
  constexpr linger kNone{.l_onoff = 0, .l_linger = 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &kNone, sizeof kNone);
}

///   connecting ──▶ open ──▶ ended
class RawConnection final : public ByteConnection, private DrivenRequest {
 public:
  RawConnection(CurlSettings settings, std::shared_ptr<const TlsMaterial> tls, std::string first,
                Clock& clock)
      : settings_(std::move(settings)),
        tls_(std::move(tls)),
        clock_(clock),
        unsent_(std::move(first)) {}
  ~RawConnection() override = default;

  [[nodiscard]] bool start() {
    return start_thread(thread_, "tunnel", [this](const std::stop_token& stop) { run(stop); });
  }

  [[nodiscard]] State read(std::string& out, std::size_t bytes_max) override EXCLUDES(mutex_) {
    State state = State::kOpen;
    bool was_full = false;
    {
      MutexLock lock(mutex_);
      was_full = unread_.size() >= kWaitingMax;
      const std::size_t taken = std::min(bytes_max, unread_.size());
      out.append(unread_, 0, taken);
      unread_.erase(0, taken);
      if (ended_ && unread_.empty()) state = State::kEnded;
    }
    if (was_full) loop_.ring();  // It may receive more.
    return state;
  }
  void write(std::string_view bytes) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (ended_) return;
      unsent_ += bytes;
    }
    loop_.ring();
  }
  [[nodiscard]] bool wants_more() const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return unsent_.size() < kWaitingMax;
  }
  void end() override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      ends_ = true;
    }
    loop_.ring();
  }
  void on_ready(std::function<void()> ready) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ready_ = std::move(ready);
  }
  [[nodiscard]] std::string fault() const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return fault_;
  }

 private:
  void run(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { loop_.stop(); });
    connection_.emplace(settings_, tls_, cache_, clock_.now());
    loop_.join(*this);
    drive({}, clock_.now());
    // A post says that it has ended.
    while (!loop_.stopped() && loop_.wait(clock_, Time::max(), 1).empty()) {
    }
    loop_.leave(*this);
    connection_.reset();
  }

  void drive(std::span<const pollfd> ready, Time now) override {
    if (done_) return;
    if (connection_->state() == PooledConnection::State::kConnecting) {
      connection_->connect(ready, now);
    }
    if (connection_->state() == PooledConnection::State::kConnecting) return;
    if (connection_->state() == PooledConnection::State::kFailed) {
      return finish(connection_->failure().message);
    }
    if (!send()) return;
    receive();
  }

  void poll_for(std::vector<pollfd>& out) const override {
    if (done_) return;
    if (connection_->state() == PooledConnection::State::kConnecting) {
      return connection_->poll_for_connect(out);
    }
    const int reads = is_full() ? 0 : POLLIN;
    const int writes = wire_.empty() ? 0 : POLLOUT;
    out.push_back({connection_->descriptor(), static_cast<short>(reads | writes), 0});
  }

  [[nodiscard]] Time due() const override {
    const bool connects = !done_ && connection_->state() == PooledConnection::State::kConnecting;
    return connects ? connection_->connect_due() : Time::max();
  }

  [[nodiscard]] bool is_full() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return unread_.size() >= kWaitingMax;
  }

  /// False: the connection has ended.
  bool send() {
    while (true) {
      bool ends = false;
      if (wire_.empty()) {
        MutexLock lock(mutex_);
        wire_.swap(unsent_);
        ends = ends_ && wire_.empty();
      }
      if (ends) {
        close_in_order(connection_->descriptor());
        finish("");
        return false;
      }
      if (wire_.empty()) return true;
      std::string_view left = wire_;
      const PooledConnection::Io sent = connection_->send(left);
      wire_.erase(0, wire_.size() - left.size());
      if (sent == PooledConnection::Io::kClosed) {
        finish(connection_->why());
        return false;
      }
      if (sent == PooledConnection::Io::kBlocked) return true;
      if (wire_.empty()) notify();
    }
  }

  void receive() {
    std::array<char, kRecordBytes> buffer;
    bool some = false;
    while (!is_full()) {
      std::string_view got;
      const PooledConnection::Io received = connection_->receive(buffer, got);
      if (received == PooledConnection::Io::kBlocked) break;
      if (received == PooledConnection::Io::kClosed) return finish(connection_->why());
      some = true;
      MutexLock lock(mutex_);
      unread_ += got;
    }
    if (some) notify();
  }

  void finish(std::string fault) {
    done_ = true;
    {
      MutexLock lock(mutex_);
      ended_ = true;
      fault_ = std::move(fault);
    }
    loop_.post(0);
    notify();
  }

  void notify() EXCLUDES(mutex_) {
    std::function<void()> ready;
    {
      MutexLock lock(mutex_);
      ready = ready_;
    }
    if (ready) ready();
  }

  const CurlSettings settings_;
  const std::shared_ptr<const TlsMaterial> tls_;
  Clock& clock_;
  RequestLoop loop_;

  // The thread's alone:
  ClientTlsCache cache_;
  std::optional<PooledConnection> connection_;
  std::string wire_;  // On its way.
  bool done_ = false;

  mutable Mutex mutex_;
  std::string unsent_ GUARDED_BY(mutex_);
  std::string unread_ GUARDED_BY(mutex_);
  bool ends_ GUARDED_BY(mutex_) = false;  // end() was called.
  bool ended_ GUARDED_BY(mutex_) = false;
  std::string fault_ GUARDED_BY(mutex_);
  std::function<void()> ready_ GUARDED_BY(mutex_);

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace

Result<std::unique_ptr<ByteConnection>> open_raw_connection(
    const ConnectionConfig& config, const std::shared_ptr<const ClientCertificate>& certificate,
    std::string first, Clock& clock) {
  const Result<ServerUrl> url = ServerUrl::parse(config.server, ServerUrl::Scheme::kHttps);
  if (!url) return url.error();
  Result<CurlSettings> settings = connection_settings(config, *url);
  if (!settings) return settings.error();
  auto out = std::make_unique<RawConnection>(*std::move(settings), material_of(config, certificate),
                                             std::move(first), clock);
  if (!out->start()) return Status(Code::kUnavailable, "cannot start a thread for the connection");
  return std::unique_ptr<ByteConnection>(std::move(out));
}

}  // namespace davit::host
