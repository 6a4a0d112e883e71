import Glibc
import TestSupport
import Testing

/// The real server gets no beat to systemd while one of its loops hangs. A library loaded before the C library lets
/// the loop of a chosen thread hang; compiled by the test, never shipped.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct WatchdogTests {
  /// A third of it is the time between beats.
  private static let timeout = "WATCHDOG_USEC=600000"

  @Test(.enabled(if: PreloadShim.isAvailable), arguments: ["worker-0", "worker-1", "housekeeping"])
  func aLoopThatHangsIsNotFed(_ thread: String) throws {
    let folder = try TemporaryFolder()
    let preload = try PreloadShim.compile(Self.shim, in: folder)
    let socket = try NotifySocket()
    let appliance = try Appliance(environment: [
      socket.variable, Self.timeout, preload, "HANG_FILE=\(folder.path)/hang",
    ])
    #expect(socket.beats(1, within: .seconds(20)) == 1)
    try folder.write("hang.new", thread)
    #expect(rename(folder.path + "/hang.new", folder.path + "/hang") == 0)
    #expect(appliance.waitForLog("\(thread) hangs\n"), "\(appliance.log)")
    // What came before; one more may have been due already. Five more would have come.
    while socket.receive(before: .now) != nil {}
    #expect(socket.beats(5, within: .seconds(1)) <= 1)
    #expect(unlink(folder.path + "/hang") == 0)
    #expect(socket.beats(2, within: .seconds(20)) == 2)
    #expect(appliance.end(SIGTERM) == 0)
  }

  private static let shim = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/epoll.h>
    #include <unistd.h>

    int epoll_wait(int fd, struct epoll_event *events, int count, int timeout) {
      const char *path = getenv("HANG_FILE");
      int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      if (file >= 0) {
        char wanted[32] = {0}, own[32] = {0};
        ssize_t length = read(file, wanted, sizeof wanted - 1);
        close(file);
        pthread_getname_np(pthread_self(), own, sizeof own);
        if (length > 0 && strcmp(wanted, own) == 0) {
          dprintf(STDERR_FILENO, "%s hangs\n", own);
          while (access(path, F_OK) == 0) usleep(5000);
        }
      }
      int (*real)(int, struct epoll_event *, int, int) = dlsym(RTLD_NEXT, "epoll_wait");
      return real(fd, events, count, timeout);
    }
    """#
}

extension NotifySocket {
  /// Beats of the watchdog until there are `limit`, or the time is over.
  func beats(_ limit: Int, within time: Duration) -> Int {
    let deadline = ContinuousClock.now + time
    var beats = 0
    while beats < limit, let text = receive(before: deadline) {
      if text == "WATCHDOG=1" { beats += 1 }
    }
    return beats
  }
}
