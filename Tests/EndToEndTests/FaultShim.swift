import Glibc
import TestSupport

/// A library that makes writes to the registrations fail.
final class FaultShim {
  enum Fault: Int32, CaseIterable {
    case none, failingWrite, shortWrite, failingSync, fullDisk, failingHeader, readOnlyDisk
  }

  private let folder: TemporaryFolder
  private let preload: String
  /// Shared with the server: kind of fault, one in how many calls, faults so far; at `happenedOffset` a semaphore that
  /// each fault raises.
  private let control: UnsafeMutablePointer<Int32>
  private static let controlBytes = 4096
  private static let happenedOffset = 64

  init() throws {
    folder = try TemporaryFolder()
    preload = try PreloadShim.compile(Self.source, in: folder)
    try folder.write("control", String(repeating: "\0", count: Self.controlBytes))
    let file = open(folder.path + "/control", O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let address = mmap(nil, Self.controlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let address, address != MAP_FAILED else { throw TestSupportError("mmap") }
    control = address.bindMemory(to: Int32.self, capacity: Self.controlBytes / 4)
    sem_init(happened, 1, 0)
  }

  deinit {
    munmap(control, Self.controlBytes)
  }

  var environment: [String] {
    ["PATH=/usr/bin:/bin", preload, "FAULT_CONTROL=\(folder.path)/control"]
  }

  var injected: Int32 { control[2] }

  private var happened: UnsafeMutablePointer<sem_t> {
    (UnsafeMutableRawPointer(control) + Self.happenedOffset).assumingMemoryBound(to: sem_t.self)
  }

  func set(_ fault: Fault, oneIn calls: Int32) {
    while sem_trywait(happened) == 0 {}
    control[1] = calls
    control[0] = fault.rawValue
  }

  /// Waits for the first fault since `set`; false when none comes within 20 seconds.
  func waitForFault() -> Bool {
    var limit = timespec()
    clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_sec += 20
    while sem_timedwait(happened, &limit) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  private static let source = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <semaphore.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/uio.h>
    #include <unistd.h>

    static volatile int *control;

    __attribute__((constructor)) static void start(void) {
      const char *path = getenv("FAULT_CONTROL");
      int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
      if (fd < 0) return;
      void *address = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      close(fd);
      if (address != MAP_FAILED) control = address;
    }

    static int strikes(int fd, int first, int last, int other) {
      if (!control) return 0;
      int fault = control[0];
      if (!fault || ((fault < first || fault > last) && fault != other)) return 0;
      char link[64], path[512];
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      ssize_t length = readlink(link, path, sizeof path - 1);
      if (length < 0) return 0;
      path[length] = 0;
      if (!strstr(path, "registrations/data.mdb")) return 0;
      int calls = control[1];
      if (calls > 1 && random() % calls) return 0;
      __sync_fetch_and_add(&control[2], 1);
      sem_post((sem_t *)((volatile char *)control + 64));
      return fault;
    }

    static int write_fault(int fd) {
      return control && control[0] == 6 ? strikes(fd, 6, 6, 6) : strikes(fd, 1, 2, 4);
    }
    static int refuse(int fault) { errno = fault == 4 ? ENOSPC : fault == 6 ? EROFS : EIO; return -1; }

    #define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

    ssize_t write(int fd, const void *b, size_t n) {
      int fault = write_fault(fd);
      if (fault == 2) n /= 2; else if (fault) return refuse(fault);
      return REAL(write)(fd, b, n);
    }
    /* LMDB writes its header through a descriptor of its own, opened with O_DSYNC (mdb.c, me_mfd). */
    static int header_fault(int fd) {
      return control && control[0] == 5 && (fcntl(fd, F_GETFL) & O_DSYNC) && strikes(fd, 5, 5, 5);
    }
    ssize_t pwrite(int fd, const void *b, size_t n, off_t o) {
      int fault = write_fault(fd);
      if (header_fault(fd)) return refuse(5);
      if (fault == 2) n /= 2; else if (fault) return refuse(fault);
      return REAL(pwrite)(fd, b, n, o);
    }
    ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) {
      int fault = write_fault(fd);
      if (header_fault(fd)) return refuse(5);
      if (fault == 2) n /= 2; else if (fault) return refuse(fault);
      return REAL(pwrite64)(fd, b, n, o);
    }
    static ssize_t half(int fd, const struct iovec *v, off_t o) {
      return REAL(pwrite)(fd, v[0].iov_base, v[0].iov_len / 2, o);
    }
    ssize_t writev(int fd, const struct iovec *v, int n) {
      int fault = write_fault(fd);
      if (fault == 2) return REAL(write)(fd, v[0].iov_base, v[0].iov_len / 2);
      if (fault) return refuse(fault);
      return REAL(writev)(fd, v, n);
    }
    ssize_t pwritev(int fd, const struct iovec *v, int n, off_t o) {
      int fault = write_fault(fd);
      if (fault == 2) return half(fd, v, o);
      if (fault) return refuse(fault);
      return REAL(pwritev)(fd, v, n, o);
    }
    ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t o) {
      int fault = write_fault(fd);
      if (fault == 2) return half(fd, v, o);
      if (fault) return refuse(fault);
      return REAL(pwritev64)(fd, v, n, o);
    }
    int fsync(int fd) {
      if (strikes(fd, 3, 3, 3)) return refuse(3);
      return REAL(fsync)(fd);
    }
    int fdatasync(int fd) {
      if (strikes(fd, 3, 3, 3)) return refuse(3);
      return REAL(fdatasync)(fd);
    }
    int msync(void *a, size_t n, int f) {
      if (control && control[0] == 3 && !(random() % control[1])) return refuse(3);
      return REAL(msync)(a, n, f);
    }
    """#
}
