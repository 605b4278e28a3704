/// The GATT service of a link. Each service has one characteristic to write to and one that notifies (Mesh Protocol 7.1
/// and 7.2).
package enum MeshService: Hashable, Sendable, CaseIterable {
    case proxy
    /// The Mesh Provisioning Service of an unprovisioned device.
    case provisioning

    /// The UUID of the service: 0x1828 or 0x1827.
    package var uuid: BluetoothUUID {
        switch self {
        case .proxy: BluetoothUUID(0x1828)
        case .provisioning: BluetoothUUID(0x1827)
        }
    }

    /// Data In, to which packets are written without response.
    package var dataIn: BluetoothUUID {
        switch self {
        case .proxy: BluetoothUUID(0x2ADD)
        case .provisioning: BluetoothUUID(0x2ADB)
        }
    }

    /// Data Out, which notifies packets.
    package var dataOut: BluetoothUUID {
        switch self {
        case .proxy: BluetoothUUID(0x2ADE)
        case .provisioning: BluetoothUUID(0x2ADC)
        }
    }

    /// The service in a sentence, with its article.
    package var name: String {
        switch self {
        case .proxy: "the Mesh Proxy Service (\(uuid))"
        case .provisioning: "the Mesh Provisioning Service (\(uuid))"
        }
    }

    /// The other mesh service, which a device may have instead of the expected one.
    var other: MeshService {
        switch self {
        case .proxy: .provisioning
        case .provisioning: .proxy
        }
    }
}
