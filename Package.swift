// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 language mode comes from the tools version; a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "pushbox",
  products: [],
  targets: [
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .target(name: "CLinux"),
    .target(name: "Bytes", swiftSettings: strict),
    .target(name: "Store", dependencies: ["CLMDB", "Bytes"], swiftSettings: strict),
    // Test support: a process for StoreTests to kill in the middle of its writes.
    .executableTarget(name: "StoreCrashProbe", dependencies: ["Store"], swiftSettings: strict),
    .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: strict),
    .testTarget(name: "StoreTests", dependencies: ["Store", "StoreCrashProbe"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
