import DefinitionModel
import Definitions

/// What a file in YAML is to meshplan.
package enum FileKind: Hashable, Sendable {
    case definition
    /// Products and simulated devices.
    case devices
    /// The list of a fleet's networks.
    case fleet
    case settings

    package init(path: String, _ bytes: [UInt8]) {
        switch DocumentURI.name(of: path) {
        case FleetFile.fileName: self = .fleet
        case SettingsFile.fileName: self = .settings
        default: self = Self.declaresDevices(DefinitionOutline(bytes, isShallow: true)) ? .devices : .definition
        }
    }

    /// Whether a file says what devices are made of. A definition has neither devices, nor products in a mapping.
    private static func declaresDevices(_ outline: DefinitionOutline) -> Bool {
        guard let document = outline.documents.first, outline.child("network", of: document) == nil else {
            return false
        }
        let products = outline.child("products", of: document).map { outline.nodes[$0].kind }
        return outline.child("devices", of: document) != nil || products == .mapping
    }

    var schema: DefinitionSchema {
        switch self {
        case .definition: .own
        case .devices: .devices
        case .fleet: .fleet
        case .settings: .settings
        }
    }
}
