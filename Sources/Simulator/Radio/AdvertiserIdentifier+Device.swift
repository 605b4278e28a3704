package import MeshCore

extension AdvertiserIdentifier {
    /// The identifier under which a simulated device always advertises: its Device UUID, 16 octets. It stays the same
    /// when the device joins or leaves networks.
    package init(of device: DeviceUUID) {
        self.init(rawValue: device.rawValue.bytes)
    }
}

extension DeviceUUID {
    /// The simulated device that advertises under an identifier; nil if no simulated device does.
    package init?(advertiser: AdvertiserIdentifier) {
        guard let octets = Octets16(advertiser.rawValue) else { return nil }
        self.init(rawValue: octets)
    }
}
