/// What is remembered of a device beyond its life as a node, so that nobody can pass for it with less than it once
/// showed.
package struct DeviceMemory: Hashable, Sendable {
    package var uuid: DeviceUUID
    /// Whether it once offered HMAC-SHA256. A device that no longer does so is perhaps another one.
    package var knowsHMAC: Bool
    /// The key of the fingerprints. It is random, so that a fingerprint says nothing to whoever lacks the database.
    package let key: KeyMaterial
    /// The fingerprints of static values that others may know by now, in the order of their use.
    package private(set) var usedValues: [Octets16]

    /// A memory of nothing, or one from the database.
    package init(uuid: DeviceUUID, key: KeyMaterial, knowsHMAC: Bool = false, usedValues: [Octets16] = []) {
        self.uuid = uuid
        self.key = key
        self.knowsHMAC = knowsHMAC
        self.usedValues = usedValues
    }

    /// Whether a value was given away.
    package func isUsed(_ value: StaticOutOfBandValue) -> Bool { usedValues.contains(fingerprint(of: value)) }

    /// Notes that a value is about to be given away; false if that is known.
    package mutating func use(_ value: StaticOutOfBandValue) -> Bool {
        guard !isUsed(value) else { return false }
        usedValues.append(fingerprint(of: value))
        return true
    }

    /// A value was not given away after all.
    package mutating func withdraw(_ value: StaticOutOfBandValue) {
        let fingerprint = fingerprint(of: value)
        usedValues.removeAll { $0 == fingerprint }
    }

    private func fingerprint(of value: StaticOutOfBandValue) -> Octets16 {
        CMAC(key: key.octets).code(of: uuid.rawValue.bytes + value.octets)
    }
}
