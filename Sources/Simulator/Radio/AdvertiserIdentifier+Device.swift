package import MeshCore

extension AdvertiserIdentifier {
    /// What a simulated device advertises under through all its lives in networks: its Device UUID, 16 octets.
    package init(of device: DeviceUUID) {
        self.init(rawValue: device.rawValue.bytes)
    }
}

extension DeviceUUID {
    /// The simulated device that advertises under an identifier, nil if no simulated device has such a one.
    package init?(advertiser: AdvertiserIdentifier) {
        guard let octets = Octets16(advertiser.rawValue) else { return nil }
        self.init(rawValue: octets)
    }
}
