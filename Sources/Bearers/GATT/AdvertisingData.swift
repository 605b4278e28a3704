package import MeshCore

/// What a packet of advertising data says about Bluetooth Mesh. The packet is a sequence of structures: length (1),
/// type (1), data (length minus 1) (Core Vol 3 Part C 11; types: Core Specification Supplement, Part A 1).
package struct AdvertisingData: Hashable, Sendable {
    /// The service data of a mesh service.
    package enum Service: Hashable, Sendable {
        /// Mesh Provisioning Service, 0x1827.
        case provisioning(ProvisioningAdvertisement)
        /// Mesh Proxy Service, 0x1828.
        case proxy(ProxyAdvertisement)
    }

    /// The first well-formed service data of a mesh service.
    package private(set) var service: Service?
    /// The hash of the advertised URI (Mesh Protocol 3.10.2).
    package private(set) var uriHash: UInt32?
    /// Whether a client asks proxies to advertise (Mesh Proxy Solicitation Service, 0x1859; Mesh Protocol 6.9). Such a
    /// client is nothing to connect to.
    package private(set) var isSolicitation = false
    /// How many structures are cut off or hold malformed service data of a mesh service.
    package private(set) var malformed = 0

    private static let serviceDataType: UInt8 = 0x16
    private static let uriType: UInt8 = 0x24

    /// Reads the data of one packet; any octets are allowed.
    package init(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        // A length of 0 ends the data early.
        while let length = try? reader.readUInt8(), length > 0 {
            guard let structure = try? reader.read(Int(length)), let type = structure.first else {
                malformed += 1
                return
            }
            switch type {
            case AdvertisingData.serviceDataType: read(serviceData: structure.dropFirst())
            case AdvertisingData.uriType: read(uri: structure.dropFirst())
            default: break
            }
        }
    }

    private mutating func read(serviceData: ArraySlice<UInt8>) {
        guard let uuid = BluetoothUUID(attribute: serviceData.prefix(2)) else {
            malformed += 1
            return
        }
        let data = Array(serviceData.dropFirst(2))
        do {
            switch uuid.short {
            case 0x1827: try takeFirst(.provisioning(ProvisioningAdvertisement(decoding: data)))
            case 0x1828: try takeFirst(.proxy(ProxyAdvertisement(decoding: data)))
            case 0x1859: isSolicitation = true
            default: break
            }
        } catch {
            malformed += 1
        }
    }

    private mutating func takeFirst(_ service: Service) {
        if self.service == nil { self.service = service }
    }

    private mutating func read(uri: ArraySlice<UInt8>) {
        guard !uri.isEmpty else {
            malformed += 1
            return
        }
        uriHash = uriHash ?? UnprovisionedDeviceBeacon.hash(ofURI: Array(uri))
    }
}

extension AdvertisingData {
    /// What is advertised; nil if it is nothing to connect to.
    package var content: Advertisement.Content? { service?.content(uriHash: uriHash) }
}

extension AdvertisingData.Service {
    /// The same, with the hash of a URI, which only unprovisioned devices have.
    package func content(uriHash: UInt32?) -> Advertisement.Content {
        switch self {
        case .provisioning(let data): .unprovisioned(data, uriHash: uriHash)
        case .proxy(let data): .proxy(data)
        }
    }
}
