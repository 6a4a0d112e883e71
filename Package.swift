// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 language mode comes from the tools version; a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "pushbox",
  products: [
    .executable(name: "pushbox", targets: ["pushbox"]),
    .executable(name: "toml-decoder", targets: ["TOMLDecoder"]),
  ],
  targets: [
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .target(name: "CLinux"),
    .target(name: "Bytes", swiftSettings: strict),
    .target(name: "JSON", dependencies: ["Bytes"], swiftSettings: strict),
    .target(name: "TOML", dependencies: ["Bytes"], swiftSettings: strict),
    .target(name: "Telemetry", dependencies: ["Bytes"], swiftSettings: strict),
    .target(name: "EventLoop", dependencies: ["CLinux", "Bytes"], swiftSettings: strict),
    .target(name: "Crypto", dependencies: ["COpenSSL", "Bytes"], swiftSettings: strict),
    .target(
      name: "TLS", dependencies: ["Bytes", "COpenSSL", "Crypto", "EventLoop"], swiftSettings: strict),
    .target(name: "HTTP", dependencies: ["Bytes", "CNghttp2", "EventLoop", "TLS"], swiftSettings: strict),
    .target(name: "Store", dependencies: ["CLMDB", "Bytes"], swiftSettings: strict),
    .target(
      name: "Gateways", dependencies: ["Bytes", "JSON", "EventLoop", "Crypto", "TLS", "HTTP"],
      swiftSettings: strict),
    .target(name: "Relay", dependencies: ["Bytes", "JSON", "Crypto"], swiftSettings: strict),
    .target(
      name: "Service",
      dependencies: ["Bytes", "Crypto", "EventLoop", "Gateways", "Relay", "Store", "Telemetry"],
      swiftSettings: strict),
    .target(
      name: "Transfer", dependencies: ["Bytes", "JSON", "Relay", "Store"], swiftSettings: strict),
    .target(name: "Configuration", dependencies: ["TOML", "Bytes"], swiftSettings: strict),
    .target(
      name: "API",
      dependencies: [
        "Bytes", "Crypto", "EventLoop", "HTTP", "JSON", "Relay", "Service", "Store", "Telemetry",
      ],
      swiftSettings: strict, plugins: ["EmbedPublic"]),
    .target(
      name: "MockGateway", dependencies: ["Bytes", "JSON", "EventLoop", "Crypto", "TLS", "HTTP"],
      swiftSettings: strict),
    .target(
      name: "MockRelay", dependencies: ["Bytes", "Crypto", "JSON", "Relay"], swiftSettings: strict),
    .executableTarget(
      name: "pushbox",
      dependencies: [
        "API", "Bytes", "Configuration", "Crypto", "EventLoop", "Gateways", "HTTP", "JSON", "MockGateway",
        "MockRelay", "Relay", "Service", "Store", "TLS", "Telemetry", "Transfer",
      ], swiftSettings: strict),
    .plugin(name: "EmbedPublic", capability: .buildTool(), dependencies: ["embedpublic"]),
    .executableTarget(name: "embedpublic", dependencies: ["Bytes"], swiftSettings: strict),
    .executableTarget(name: "TOMLDecoder", dependencies: ["Bytes", "TOML"], swiftSettings: strict),
    // The store's own benchmark, see Benchmarks/RESULTS.md.
    .executableTarget(
      name: "storebench", dependencies: ["Bytes", "CLMDB", "EventLoop", "Service", "Store"],
      path: "Benchmarks/store", swiftSettings: strict),
    // The benchmarks' load driver and mock, see Benchmarks/RESULTS.md.
    .executableTarget(
      name: "mockgateway",
      dependencies: [
        "Bytes", "Crypto", "EventLoop", "Gateways", "HTTP", "JSON", "MockGateway", "MockRelay",
      ], path: "Benchmarks/mockgateway", swiftSettings: strict),
    .executableTarget(
      name: "pushload",
      dependencies: ["Bytes", "Crypto", "EventLoop", "HTTP", "JSON", "MockRelay"],
      path: "Benchmarks/pushload", swiftSettings: strict),
    .executableTarget(
      name: "tomlparse", dependencies: ["TOML"], path: "Benchmarks/tomlparse",
      swiftSettings: strict),
    // What `make soak` runs.
    .executableTarget(
      name: "pushsoak",
      dependencies: [
        "Bytes", "EventLoop", "JSON", "MockGateway", "MockRelay", "TestSupport", "pushbox",
      ], path: "Benchmarks/pushsoak", swiftSettings: strict),
    // What `make siege` runs.
    .executableTarget(
      name: "pushsiege",
      dependencies: ["Bytes", "EventLoop", "MockGateway", "MockRelay", "TestSupport", "pushbox"],
      path: "Benchmarks/siege", swiftSettings: strict),
    // What `make chaos` runs.
    .executableTarget(
      name: "pushchaos", dependencies: ["Chaos", "EventLoop", "pushbox"], path: "Benchmarks/chaos",
      swiftSettings: strict),
    // Test support: a process for StoreTests to kill in the middle of its writes.
    .executableTarget(name: "StoreCrashProbe", dependencies: ["Store"], swiftSettings: strict),
    // What scripts/fuzz.sh and FuzzTests feed with random input.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "API", "Bytes", "Configuration", "Crypto", "HTTP", "JSON", "Relay", "Store", "TLS", "TOML",
      ],
      path: "Fuzz/Targets", swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Bytes", "EventLoop"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "Chaos",
      dependencies: ["Bytes", "EventLoop", "JSON", "MockGateway", "MockRelay", "TestSupport"],
      path: "Tests/Chaos", swiftSettings: strict),
    .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["Bytes", "JSON", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "TOMLTests", dependencies: ["TOML", "TOMLDecoder"], swiftSettings: strict),
    .testTarget(name: "TelemetryTests", dependencies: ["Bytes", "Telemetry"], swiftSettings: strict),
    .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "Bytes"], swiftSettings: strict),
    .testTarget(name: "CryptoTests", dependencies: ["Crypto", "COpenSSL", "Bytes"], swiftSettings: strict),
    .testTarget(
      name: "TLSTests", dependencies: ["Bytes", "TLS", "Crypto", "EventLoop", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPTests",
      dependencies: ["Bytes", "CLinux", "Crypto", "EventLoop", "HTTP", "TLS", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ServiceTests",
      dependencies: [
        "Service", "Bytes", "Crypto", "EventLoop", "Gateways", "Store", "Telemetry", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(name: "StoreTests", dependencies: ["Store", "StoreCrashProbe"], swiftSettings: strict),
    .testTarget(
      name: "GatewaysTests",
      dependencies: ["Gateways", "Bytes", "JSON", "EventLoop", "Crypto", "TLS", "HTTP"],
      swiftSettings: strict),
    .testTarget(
      name: "RelayTests", dependencies: ["Bytes", "Crypto", "JSON", "Relay"], swiftSettings: strict),
    .testTarget(
      name: "TransferTests", dependencies: ["Bytes", "Store", "Transfer"], swiftSettings: strict),
    .testTarget(name: "ConfigurationTests", dependencies: ["Configuration"], swiftSettings: strict),
    .testTarget(
      name: "MockGatewayTests",
      dependencies: ["MockGateway", "Bytes", "JSON", "EventLoop", "Crypto", "TLS", "HTTP", "Gateways"],
      swiftSettings: strict),
    .testTarget(
      name: "APITests",
      dependencies: [
        "API", "Bytes", "Crypto", "EventLoop", "HTTP", "Service", "Store", "Telemetry", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Bytes", "Chaos", "Crypto", "EventLoop", "HTTP", "JSON", "MockGateway", "MockRelay", "Relay", "Store",
        "TLS", "TestSupport", "pushbox",
      ],
      swiftSettings: strict),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RepositoryTests", dependencies: ["JSON", "TestSupport", "pushbox"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
