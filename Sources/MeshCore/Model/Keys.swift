/// Sixteen octets that must stay secret: a NetKey, AppKey or DeviceKey.
///
/// No output contains it: `description`, `debugDescription` and mirrors say "(secret)". On purpose it is neither
/// `Codable` nor `Comparable`; the sealed database and the protocol read ``octets``.
package struct KeyMaterial: Hashable, Sendable {
    /// The key itself. Never log or print it, or put it into an error.
    package let octets: Octets16

    package init(_ octets: Octets16) {
        self.octets = octets
    }

    /// A key of exactly 16 octets; nil for any other number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let octets = Octets16(bytes) else { return nil }
        self.init(octets)
    }

    /// Whether all its octets are 00, or all are FF. Programs write that in place of a key that they do not have.
    package var isFiller: Bool {
        octets == Octets16(high: 0, low: 0) || octets == Octets16(high: .max, low: .max)
    }

    /// A new key from `generator`, which must be cryptographically secure outside tests.
    package static func random(using generator: inout some RandomNumberGenerator) -> KeyMaterial {
        KeyMaterial(Octets16(high: generator.next(), low: generator.next()))
    }
}

extension KeyMaterial: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Hides the key's octets.
    package var description: String { "(secret)" }
    /// Hides the key's octets.
    package var debugDescription: String { "(secret)" }
    /// Hides the key's octets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The index of a NetKey or AppKey in its network-wide list, 0 to 4095 (Mesh Protocol 3.9.6.3).
package protocol KeyIndex: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue == UInt16 {
    /// The index with that value; nil above 0x0FFF.
    init?(rawValue: UInt16)
}

extension KeyIndex {
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    /// The index in decimal.
    package var description: String { String(rawValue) }
}

/// The index of a NetKey, 12 bits.
package struct NetKeyIndex: KeyIndex {
    package let rawValue: UInt16

    /// The index with that value; nil above 0x0FFF.
    package init?(rawValue: UInt16) {
        guard rawValue <= 0x0FFF else { return nil }
        self.rawValue = rawValue
    }

    private init(unchecked rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Index 0x000, the primary subnet.
    package static let primary = NetKeyIndex(unchecked: 0)
}

/// The index of an AppKey, 12 bits.
package struct AppKeyIndex: KeyIndex {
    package let rawValue: UInt16

    /// The index with that value; nil above 0x0FFF.
    package init?(rawValue: UInt16) {
        guard rawValue <= 0x0FFF else { return nil }
        self.rawValue = rawValue
    }

    private init(unchecked rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Index 0x000.
    package static let first = AppKeyIndex(unchecked: 0)
}

/// The phase of a subnet in the Key Refresh procedure (Mesh Protocol 3.11.4). Phase 3 is the return to normal.
package enum KeyRefreshPhase: UInt8, Sendable {
    /// One key is in use.
    case normal = 0
    /// Both keys are stored. Nodes send with the old one and receive with both.
    case keyDistribution = 1
    /// Both keys are stored. Nodes send with the new one and receive with both.
    case usingNewKeys = 2
}

/// A network key in the mesh database.
package struct NetKey: Hashable, Sendable {
    package var index: NetKeyIndex
    /// Its name in the database. After an import it may differ from the subnet's name in the definition.
    package var name: String
    /// The current key; during a key refresh, the new one.
    package var key: KeyMaterial
    /// The key that a key refresh replaces; nil outside a key refresh.
    package var oldKey: KeyMaterial?
    package var phase: KeyRefreshPhase
    /// Whether only securely provisioned nodes may get it.
    package var isMinimumSecuritySecure: Bool
    /// Whether an applied definition names it. Plans do not change subnets that are not managed.
    package var isManaged = false
    /// Whether plans must not remove it, even after it has left the definition.
    package var isProtected = false

    package init(
        index: NetKeyIndex,
        name: String,
        key: KeyMaterial,
        oldKey: KeyMaterial? = nil,
        phase: KeyRefreshPhase = .normal,
        isMinimumSecuritySecure: Bool = true
    ) {
        self.index = index
        self.name = name
        self.key = key
        self.oldKey = oldKey
        self.phase = phase
        self.isMinimumSecuritySecure = isMinimumSecuritySecure
    }
}

/// An application key in the mesh database.
package struct AppKey: Hashable, Sendable {
    package var index: AppKeyIndex
    package var name: String
    package var boundNetKey: NetKeyIndex
    /// The current key; during a key refresh, the new one.
    package var key: KeyMaterial
    /// The key that a key refresh replaces; nil outside a key refresh.
    package var oldKey: KeyMaterial?
    /// Whether an applied definition names it. Plans do not change application keys that are not managed.
    package var isManaged = false
    /// Whether plans must not remove it, even after it has left the definition.
    package var isProtected = false

    package init(
        index: AppKeyIndex,
        name: String,
        boundNetKey: NetKeyIndex,
        key: KeyMaterial,
        oldKey: KeyMaterial? = nil
    ) {
        self.index = index
        self.name = name
        self.boundNetKey = boundNetKey
        self.key = key
        self.oldKey = oldKey
    }
}
