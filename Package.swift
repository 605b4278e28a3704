// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "meshplan",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "meshplan", targets: ["meshplan"]),
        // For ScenarioTests, which have the executable load it.
        .library(name: "FaultInjection", type: .dynamic, targets: ["FaultInjection"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")],
    targets: [
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        .target(name: "CLinux"),
        .target(name: "Basics", swiftSettings: strict),
        .target(name: "SystemLayer", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "MeshCore", dependencies: ["CCrypto"], swiftSettings: strict),
        .target(name: "Catalogue", dependencies: ["MeshCore"], swiftSettings: strict),
        .target(name: "DefinitionModel", dependencies: ["MeshCore", "Catalogue"], swiftSettings: strict),
        .target(
            name: "Definitions",
            dependencies: ["MeshCore", "Catalogue", "DefinitionModel", "CYAML"],
            swiftSettings: strict
        ),
        .target(
            name: "Planning",
            dependencies: ["Basics", "MeshCore", "Catalogue", "DefinitionModel"],
            swiftSettings: strict
        ),
        .target(name: "PostgreSQL", dependencies: ["CPostgreSQL"], swiftSettings: strict),
        .target(
            name: "Store",
            dependencies: ["Basics", "SystemLayer", "MeshCore", "PostgreSQL", "CSQLite"],
            swiftSettings: strict
        ),
        .target(
            name: "Execution",
            dependencies: ["Basics", "MeshCore", "Catalogue", "DefinitionModel", "Planning", "Store"],
            swiftSettings: strict
        ),
        .target(name: "Simulator", dependencies: ["Basics", "Catalogue", "MeshCore"], swiftSettings: strict),
        .target(
            name: "Rehearsal",
            dependencies: [
                "MeshCore", "Catalogue", "DefinitionModel", "Planning", "Store", "Execution", "Simulator",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Pictures",
            dependencies: ["Basics", "MeshCore", "DefinitionModel", "Planning"],
            swiftSettings: strict
        ),
        .target(
            name: "LanguageServer",
            dependencies: ["SystemLayer", "MeshCore", "Catalogue", "DefinitionModel", "Definitions", "Planning"],
            // The schemas for editors, which are links to those in `schemas`.
            resources: [
                .embedInCode("Resources/meshplan.schema.json"), .embedInCode("Resources/meshplan-devices.schema.json"),
                .embedInCode("Resources/meshplan-fleet.schema.json"),
                .embedInCode("Resources/meshplan-settings.schema.json"),
            ],
            swiftSettings: strict
        ),
        .target(name: "TLS", dependencies: ["MeshCore", "CTLS"], swiftSettings: strict),
        .target(
            name: "Bearers",
            dependencies: [
                "CLinux", "MeshCore", "TLS", .target(name: "CBluetooth", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "MeshplanCLI",
            dependencies: [
                "Basics", "SystemLayer", "MeshCore", "Catalogue", "DefinitionModel", "Definitions", "Planning", "Store",
                "Execution", "Simulator", "Rehearsal", "Pictures", "LanguageServer", "Bearers", "TLS",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(name: "meshplan", dependencies: ["MeshplanCLI"], swiftSettings: strict),

        .target(name: "FaultInjection", path: "Tests/FaultInjection"),
        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        .target(
            name: "TestSupport",
            dependencies: ["MeshCore", "DefinitionModel", "CTestSupport"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "Fuzzing",
            dependencies: ["MeshCore", "Catalogue", "DefinitionModel", "Definitions", "Store", "Simulator", "Bearers"],
            path: "Tests/Fuzzing",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "meshplan-fuzz",
            dependencies: ["Fuzzing"],
            path: "Tests/FuzzingProgram",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "meshplan-bench",
            dependencies: [
                "SystemLayer", "MeshCore", "Catalogue", "DefinitionModel", "Definitions", "Planning", "Store",
                "Execution", "Simulator", "Bearers", "TLS", "CYAML", "CCrypto", "CSQLite",
            ],
            path: "Tests/Benchmarks",
            swiftSettings: strict
        ),
        .testTarget(name: "BasicsTests", dependencies: ["Basics"], swiftSettings: strict),
        .testTarget(name: "SystemLayerTests", dependencies: ["SystemLayer"], swiftSettings: strict),
        .testTarget(
            name: "MeshCoreTests",
            dependencies: ["MeshCore", "TestSupport"],
            resources: [.copy("Resources")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CatalogueTests",
            dependencies: ["MeshCore", "Catalogue", "TestSupport"],
            resources: [.copy("Resources")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DefinitionsTests",
            dependencies: ["MeshCore", "Catalogue", "DefinitionModel", "Definitions", "TestSupport"],
            resources: [.copy("Resources")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PlanningTests",
            dependencies: ["MeshCore", "DefinitionModel", "Definitions", "Planning", "TestSupport"],
            exclude: ["Snapshots"],
            resources: [.copy("Resources")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PicturesTests",
            dependencies: ["MeshCore", "DefinitionModel", "Definitions", "Planning", "Pictures", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LanguageServerTests",
            dependencies: [
                "SystemLayer", "MeshCore", "DefinitionModel", "Definitions", "LanguageServer", "TestSupport",
            ],
            exclude: ["Snapshots"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Basics", "SystemLayer", "MeshCore", "Store", "TestSupport"],
            resources: [.copy("Resources")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BearersTests",
            dependencies: ["MeshCore", "Bearers", "TLS", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(name: "FuzzingTests", dependencies: ["Fuzzing", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "TLSTests",
            dependencies: ["MeshCore", "TLS", "CTLS", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulatorTests",
            dependencies: ["Catalogue", "MeshCore", "Simulator", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ExecutionTests",
            dependencies: [
                "MeshCore", "Catalogue", "DefinitionModel", "Definitions", "Planning", "Store", "Execution",
                "Simulator", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RehearsalTests",
            dependencies: [
                "MeshCore", "Catalogue", "DefinitionModel", "Definitions", "Planning", "Store", "Execution",
                "Simulator",
                "Rehearsal", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CLITests",
            dependencies: [
                "Basics", "MeshplanCLI", "SystemLayer", "MeshCore", "Catalogue", "DefinitionModel", "Definitions",
                "Planning", "Store", "Execution", "Simulator", "Bearers", "TLS", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Snapshots"],
            resources: [.copy("Resources")],
            swiftSettings: strict
        ),
        // Runs the built executable, which the dependency has built.
        .testTarget(
            name: "ScenarioTests",
            dependencies: ["meshplan", "MeshCore", "Catalogue", "TestSupport"],
            resources: [.copy("Resources/disturbed-apply.sh"), .copy("Resources/disturbed-office.sh")],
            swiftSettings: strict
        ),
    ]
)

// A build that runs a part of the tests only, as the sanitizer's in `.ci/run`, need not compile the others, nor the
// programs that only developers start.
if let named = Context.environment["MESHPLAN_TESTS"] {
    let kept = Set(named.split(separator: " ").map(String.init))
    package.targets.removeAll {
        $0.isTest ? !kept.contains($0.name) : ["meshplan-bench", "meshplan-fuzz"].contains($0.name)
    }
}
