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
    .target(name: "JSON", dependencies: ["Bytes"], swiftSettings: strict),
    .target(name: "Telemetry", dependencies: ["Bytes"], swiftSettings: strict),
    .target(name: "EventLoop", dependencies: ["CLinux", "Bytes"], swiftSettings: strict),
    .target(name: "Crypto", dependencies: ["COpenSSL", "Bytes"], swiftSettings: strict),
    .target(name: "TLS", dependencies: ["COpenSSL", "EventLoop"], swiftSettings: strict),
    .target(name: "HTTP", dependencies: ["Bytes", "CNghttp2", "EventLoop", "TLS"], swiftSettings: strict),
    .target(
      name: "Gateways", dependencies: ["Bytes", "JSON", "EventLoop", "Crypto"], swiftSettings: strict),
    .target(
      name: "MockGateway", dependencies: ["Bytes", "JSON", "EventLoop", "Crypto", "TLS", "HTTP"],
      swiftSettings: strict),
    .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["Bytes", "JSON"], swiftSettings: strict),
    .testTarget(name: "TelemetryTests", dependencies: ["Bytes", "Telemetry"], swiftSettings: strict),
    .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "Bytes"], swiftSettings: strict),
    .testTarget(name: "CryptoTests", dependencies: ["Crypto", "COpenSSL", "Bytes"], swiftSettings: strict),
    .testTarget(name: "TLSTests", dependencies: ["TLS", "Crypto", "EventLoop"], swiftSettings: strict),
    .testTarget(
      name: "HTTPTests", dependencies: ["Bytes", "CLinux", "EventLoop", "HTTP"], swiftSettings: strict),
    .testTarget(
      name: "GatewaysTests", dependencies: ["Gateways", "Bytes", "JSON", "EventLoop", "Crypto"],
      swiftSettings: strict),
    .testTarget(
      name: "MockGatewayTests",
      dependencies: ["MockGateway", "Bytes", "JSON", "EventLoop", "Crypto", "TLS", "HTTP", "Gateways"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
