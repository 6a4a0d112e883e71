import TestSupport
import Testing

/// The admin page in a real browser: what an operator sees and does. One browser at a time.
@Suite(
  .ownThread, .serialized, .timeLimit(.minutes(10)),
  .enabled(
    if: ChromeDriver.isInstalled, "needs Debian's packages chromium and chromium-driver: see make test"))
enum AdminPageTests {}
