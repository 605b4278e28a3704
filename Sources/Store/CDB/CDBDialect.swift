/// The program that wrote a configuration database, as far as it affects the meaning of values.
///
/// Several programs write values in units or notations of their own, which a value alone does not show. A count of 3
/// means three transmissions in the format, and four for a program that counts from 0.
package enum CDBDialect: String, CaseIterable, Hashable, Sendable {
    /// The format itself, version 1.0.1 (nRF Mesh for iOS from 3.0).
    case version101 = "cdb-1.0.1"
    /// The format itself, version 1.0.0; also for a document that says nothing about its writer.
    case version100 = "cdb-1.0"
    /// meshplan's own export. It may hold members that an import from another program brought along, but its values are
    /// those of the format.
    case meshplan = "meshplan"
    /// nRF Mesh for iOS before 3.0.
    case olderIOS = "nrf-mesh-ios-2"
    /// nRF Mesh for Android up to 3.0.1.
    case olderAndroid = "nrf-mesh-android-3.0"
    /// nRF Mesh for Android after 3.0.1.
    case android = "nrf-mesh-android"
    /// The Kotlin Mesh Library, and the example of the specification.
    case kotlin = "kotlin-mesh"
    /// `export-db` of BlueZ's mesh-cfgclient.
    case bluez = "bluez"
    /// What BlueZ's meshctl keeps for itself.
    case meshctl = "bluez-meshctl"
    /// What BlueZ's bluetooth-meshd keeps of one of its nodes.
    case meshDaemon = "bluez-meshd"
    /// The sample applications of Silicon Labs.
    case siliconLabs = "silicon-labs"
    /// The applications of Telink.
    case telink = "telink"
    /// ThingOS .connect.
    case thingOS = "thingos"
    /// The interactive PyACI of the nRF5 SDK for Mesh.
    case pyACI = "pyaci"

    /// One sign of a dialect.
    package struct Mark: Hashable, Sendable {
        /// Where it is, a JSON pointer.
        package var pointer: String
        /// What is seen there, in a few words.
        package var text: String
    }

    /// The name that users know the program by.
    package var title: String {
        switch self {
        case .version101: "Mesh CDB 1.0.1"
        case .version100: "Mesh CDB 1.0"
        case .meshplan: "meshplan"
        case .olderIOS: "nRF Mesh for iOS before 3.0"
        case .olderAndroid: "nRF Mesh for Android up to 3.0.1"
        case .android: "nRF Mesh for Android"
        case .kotlin: "Kotlin Mesh Library"
        case .bluez: "BlueZ export-db"
        case .meshctl: "BlueZ meshctl"
        case .meshDaemon: "BlueZ bluetooth-meshd"
        case .siliconLabs: "Silicon Labs"
        case .telink: "Telink"
        case .thingOS: "ThingOS .connect"
        case .pyACI: "Nordic PyACI"
        }
    }

    /// Whether nothing in the document points to a particular program.
    package var isPlain: Bool { self == .version101 || self == .version100 }

    /// The dialects that count repetitions of network transmissions from 0, as messages do.
    static let countingFromZero: Set<CDBDialect> = [.bluez, .telink]
}
