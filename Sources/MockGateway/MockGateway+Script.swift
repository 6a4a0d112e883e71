import EventLoop
import HTTP

// What the mock does otherwise than the real gateways. All of it works from any thread but the mock's
// own, and is in force when the call returns.

extension MockGateway {
  // MARK: Requests

  /// Reacts so to every request, or to every one for a device, until changed; drops what `next` queued
  /// there. A reaction for a device goes before one for all.
  public func always(_ reaction: Reaction, at service: Service, deviceToken: String? = nil) {
    reactions.setStanding(reaction, service, deviceToken: deviceToken)
  }

  /// Reacts so to the next `count` requests, or to those for a device, after what was queued before.
  public func next(_ count: Int, _ reaction: Reaction, at service: Service, deviceToken: String? = nil) {
    reactions.addNext(count, reaction, service, deviceToken: deviceToken)
  }

  /// Serves `service`, or a device there, normally again.
  public func serveNormally(at service: Service, deviceToken: String? = nil) {
    reactions.setStanding(nil, service, deviceToken: deviceToken)
  }

  /// Forgets all reactions.
  public func clearReactions() {
    reactions.clear()
  }

  // MARK: APNs

  /// Whether a provider token that replaces one in use for less than 20 minutes is refused with
  /// TooManyProviderTokenUpdates. Off at first.
  public func setLimitsTokenUpdates(_ isOn: Bool) {
    switches.withLock { $0.limitsTokenUpdates = isOn }
  }

  /// Apple's habit with token authentication: a connection begins with one stream, gets more once a push
  /// was accepted, and falls back to one when a push is refused, with REFUSED_STREAM for those under
  /// way. Off at first; connections that are open take it up with their next answer.
  public func setLimitsStreams(_ isOn: Bool) {
    switches.withLock { $0.limitsStreams = isOn }
  }

  // MARK: FCM

  /// Makes all access tokens issued so far invalid.
  public func revokeAccessTokens() {
    _ = onLoop { $0.accessTokens.revokeAll() }
  }

  // MARK: Connections

  /// Sets SETTINGS_MAX_CONCURRENT_STREAMS for open and future connections.
  public func setMaxConcurrentStreams(_ count: Int, at service: Service) {
    _ = onLoop { set in
      set[service].context.maxConcurrentStreams = count
      set[service].forEachConnection { $0.changeStreamLimit(count) }
    }
  }

  /// Sends GOAWAY on all open connections. Requests that have come are finished.
  ///
  /// - Parameter reason: goes as `{"reason":...}` into the debug data.
  public func goAway(at service: Service, _ code: HTTP2ErrorCode = .noError, reason: String? = nil) {
    let debugData = reason.map { Array("{\"reason\":\"\($0)\"}".utf8) } ?? []
    _ = onLoop { set in
      set[service].forEachConnection { $0.goAway(lastStream: nil, code, debugData) }
    }
  }

  /// Resets all open TCP connections.
  public func disconnectAll(at service: Service) {
    _ = onLoop { set in set[service].forEachConnection { $0.disconnect() } }
  }

  /// Resets the oldest open TCP connection.
  public func disconnectOne(at service: Service) {
    _ = onLoop { $0[service].oldestConnection?.disconnect() }
  }

  /// Makes all open connections dead without closing them: nothing is read or sent any more.
  public func silenceConnections(at service: Service) {
    _ = onLoop { set in set[service].forEachConnection { $0.fallSilent() } }
  }

  /// Whether new connections are accepted and then left without a TLS handshake. Turned off, those
  /// held so are reset.
  public func setBlackHole(_ isOn: Bool, at service: Service) {
    _ = onLoop { $0[service].setBlackHole(isOn) }
  }

  /// Closes the listening socket, so that new connections are refused. Open ones go on.
  public func stopListening(at service: Service) {
    _ = onLoop { $0[service].stopListening() }
  }

  /// Listens on the same port again.
  public func listenAgain(at service: Service) throws(MockGatewayError) {
    let outcome = onLoop { set -> Result<Void, SystemError> in
      do throws(SystemError) {
        return .success(try set[service].listenAgain())
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success: return
    case .failure(let error): throw .network(error)
    case nil: throw .stopped
    }
  }
}
