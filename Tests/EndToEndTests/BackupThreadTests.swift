import Glibc
import TestSupport
import Testing

/// The system has no more threads for a download of the registrations. A library loaded before the C library refuses
/// the chosen one; compiled by the test, never shipped.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct BackupThreadTests {
  /// The pipes that a process has open.
  private func pipes(_ process: Int32) -> Int {
    (Files.names(in: "/proc/\(process)/fd") ?? []).count { name in
      var target = [CChar](repeating: 0, count: 64)
      let count = readlink("/proc/\(process)/fd/\(name)", &target, target.count)
      return count > 5 && target.prefix(5).elementsEqual("pipe:".utf8.map { CChar(bitPattern: $0) })
    }
  }

  /// Its threads whose names begin so.
  private func threads(_ process: Int32, _ prefix: String) -> Int {
    (Files.names(in: "/proc/\(process)/task") ?? []).count { name in
      Files.text("/proc/\(process)/task/\(name)/comm")?.hasPrefix(prefix) == true
    }
  }

  /// - Parameter refused: which of the threads that a download starts.
  @Test(
    .enabled(if: PreloadShim.isAvailable, "no C compiler: threads that cannot be started are NOT tested"),
    arguments: [1, 2])
  func aThreadThatCannotBeStartedLeavesNothingBehind(_ refused: Int) throws {
    let folder = try TemporaryFolder()
    let preload = try PreloadShim.compile(Self.shim, in: folder)
    let appliance = try Appliance(
      environment: [preload, "REFUSE_FILE=\(folder.path)/refuse"],
      gateway: { _ in }
    ) { settings, _ in
      settings.more += "\n\n" + AdminBrowser.section
    }
    // More than a pipe holds, so that a copy that nobody reads does not end by itself.
    let client = appliance.client()
    for number in 0..<60 {
      let token = String(repeating: "x", count: 3900) + "\(number)"
      #expect(try appliance.register("long-\(number)", type: "fcm", token: token, over: client).status == 200)
    }
    let browser = try AdminBrowser(signedInAt: appliance)
    let before = pipes(appliance.processID)
    try folder.write("refuse.new", "\(refused)")
    #expect(rename(folder.path + "/refuse.new", folder.path + "/refuse") == 0)
    let refusal = try browser.get("backup")
    #expect(refusal.status == 503)
    #expect(refusal.errorName == "backup")
    #expect(refusal.text.contains("pthread_create"), "\(refusal.text)")
    #expect(appliance.log.contains("thread refused\n"), "\(appliance.log)")
    #expect(
      try waitUntil { pipes(appliance.processID) == before && threads(appliance.processID, "backup-") == 0 })
    #expect(appliance.log.contains("action=backup"))
    let whole = try browser.get("backup")
    #expect(whole.status == 200)
    #expect(whole.body.count > 65_536)
    #expect(appliance.end(SIGTERM) == 0)
  }

  private static let shim = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>

    int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
      static int calls;
      const char *path = getenv("REFUSE_FILE");
      FILE *file = path ? fopen(path, "re") : NULL;
      if (file) {
        int wanted = 0;
        if (fscanf(file, "%d", &wanted) != 1) wanted = 0;
        fclose(file);
        if (++calls == wanted) {
          unlink(path);
          dprintf(STDERR_FILENO, "thread refused\n");
          return EAGAIN;
        }
      }
      int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
      return real(thread, attributes, start, argument);
    }
    """#
}
