/// Where to find the out-of-band data of a device, a bit field of 16 bits (Mesh Protocol 3.10.2): big-endian in
/// beacons, little-endian in service data.
package struct OutOfBandInformation: OptionSet, Hashable, Sendable {
    /// The 16 bits, reserved ones included.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// In another place.
    package static let other = OutOfBandInformation(rawValue: 1 << 0)
    /// On a web page.
    package static let uri = OutOfBandInformation(rawValue: 1 << 1)
    /// In a two-dimensional machine-readable code.
    package static let machineReadableCode = OutOfBandInformation(rawValue: 1 << 2)
    /// In a bar code.
    package static let barCode = OutOfBandInformation(rawValue: 1 << 3)
    package static let nfc = OutOfBandInformation(rawValue: 1 << 4)
    package static let number = OutOfBandInformation(rawValue: 1 << 5)
    package static let text = OutOfBandInformation(rawValue: 1 << 6)
    /// In a certificate (1.1).
    package static let certificate = OutOfBandInformation(rawValue: 1 << 7)
    /// In provisioning records that can be read from the device (1.1).
    package static let records = OutOfBandInformation(rawValue: 1 << 8)
    package static let onBox = OutOfBandInformation(rawValue: 1 << 11)
    package static let insideBox = OutOfBandInformation(rawValue: 1 << 12)
    package static let onPaper = OutOfBandInformation(rawValue: 1 << 13)
    package static let insideManual = OutOfBandInformation(rawValue: 1 << 14)
    package static let onDevice = OutOfBandInformation(rawValue: 1 << 15)

    /// The names of the set bits for people, in the order of the bits; reserved bits are left out.
    package var names: [String] {
        let all: [(OutOfBandInformation, String)] = [
            (.other, "other"), (.uri, "URI"), (.machineReadableCode, "2D code"), (.barCode, "bar code"),
            (.nfc, "NFC"), (.number, "number"), (.text, "string"), (.certificate, "certificate"),
            (.records, "provisioning records"), (.onBox, "on box"), (.insideBox, "inside box"),
            (.onPaper, "on paper"), (.insideManual, "inside manual"), (.onDevice, "on device"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}

extension ProvisioningAdvertisement {
    package var outOfBandInformation: OutOfBandInformation { OutOfBandInformation(rawValue: oobInformation) }
}

extension UnprovisionedDeviceBeacon {
    package var outOfBandInformation: OutOfBandInformation { OutOfBandInformation(rawValue: oobInformation) }
}
