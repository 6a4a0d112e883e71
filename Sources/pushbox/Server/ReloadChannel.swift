import Bytes
import Crypto
import EventLoop
import Glibc
import Telemetry

/// How `pushbox reload` reaches the server that runs with the same configuration file: who connects asks for a
/// reload, and gets what came of it.
///
/// The socket's name follows from the file's path alone, since what is in the file may be broken. It is in the
/// abstract namespace, so nothing is left over when the server is killed, and nobody but the kernel says who is at
/// the other end.
enum ReloadChannel {
  private static let answerTimeout = Duration.seconds(60)
  private static let sendTimeout = Duration.seconds(2)
  /// A file of 1 MiB in which every line is wrong.
  private static let maximumAnswer = 64 << 20

  /// Answers as long as the result is not closed. Warns and gives nil when that cannot be.
  static func serve(
    file: String?, on loop: EventLoop, log: Log, reload: @escaping () -> ReloadOutcome
  ) -> UnixListener? {
    guard let file else { return nil }
    do throws(SystemError) {
      return try UnixListener(loop: loop, address: address(of: file)) { stream in
        guard stream.peer.userID == 0 || stream.peer.userID == geteuid() else { return }
        stream.send(Array(reload().json.utf8), timeout: sendTimeout)
      }
    } catch {
      log.warning("`pushbox reload` does not reach this server, only SIGHUP does: \(error)")
      return nil
    }
  }

  struct Failure: Error {
    let description: String
  }

  /// Has the server of `file` reload, and waits until it has.
  ///
  /// - Parameter process: that of the server when it is known.
  static func ask(file: String, process: Int32?) throws(Failure) -> ReloadOutcome {
    guard let stream = UnixStream.connect(to: address(of: file)) else {
      throw Failure(
        description:
          "no server runs with \(file): is it started, and with this path? `systemctl status pushbox`")
    }
    try check(stream.peer, file: file, process: process)
    guard let answer = stream.receiveAll(limit: maximumAnswer, timeout: answerTimeout),
      let outcome = ReloadOutcome(json: answer)
    else {
      throw Failure(description: "the server ended or gave no answer for 60 seconds: its log says more")
    }
    return outcome
  }

  /// Anybody on this machine may take a name in the abstract namespace, so the kernel is asked who did.
  private static func check(_ peer: UnixStream.Peer, file: String, process: Int32?) throws(Failure) {
    let who = "process \(peer.processID) of user \(peer.userID)"
    if let process {
      guard peer.processID == process else {
        throw Failure(description: "\(who) answers for \(file), not the service's process \(process)")
      }
      return
    }
    let own = geteuid()
    if own == 0 {
      // Who may not read the file does not serve with it.
      var status = stat()
      guard stat(file, &status) != 0 || mayRead(peer, status) else {
        throw Failure(description: "\(who) answers for \(file) and may not read it: it is no server of yours")
      }
    } else if peer.userID != own {
      throw Failure(description: "the server is \(who): run this as that user or as root")
    }
  }

  private static func mayRead(_ peer: UnixStream.Peer, _ status: stat) -> Bool {
    peer.userID == 0 || peer.userID == status.st_uid && status.st_mode & S_IRUSR != 0
      || peer.groupID == status.st_gid && status.st_mode & S_IRGRP != 0 || status.st_mode & S_IROTH != 0
  }

  /// The path, and the PID namespace: containers may share the network's namespace, to which the name belongs.
  static func address(of file: String) -> String {
    let slash = file.lastIndex(of: "/")
    let folder = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    let name = slash.map { file[file.index(after: $0)...] } ?? file[...]
    let place = (resolved(folder) ?? folder) + "/" + name + "\0" + pidNamespace
    return "@pushbox-reload-" + Hex.encode(SHA256.hash(Array(place.utf8)))
  }

  private static func resolved(_ folder: String) -> String? {
    guard let path = realpath(folder, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  private static var pidNamespace: String {
    var target = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/self/ns/pid", &target, target.count)
    return String(decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
