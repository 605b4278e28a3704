import TestSupport

@testable import MeshCore

/// The keys and addresses of the sample data (8.3), and stacks that use them.
enum Sample {
    static let netKey = key("7dd7364cd842ad18c17c2b820c84c3d6")
    static let appKey = key("63964771734fbd76e3b40519d1d94a48")
    static let deviceKey = key("9d6dd0e96eb25dc19a40ed9914f8f03f")
    static let client = unicast(0x0003)
    static let node = unicast(0x1201)
    static let ivIndex = IVIndex(value: 0x1234_5678)
    static let appKeyIndex = appIndex(0x123)

    static func key(_ digits: String) -> KeyMaterial {
        guard let key = KeyMaterial(hex(digits)) else { preconditionFailure("not a key: \(digits)") }
        return key
    }

    static func unicast(_ rawValue: UInt16) -> UnicastAddress {
        guard let unicast = UnicastAddress(rawValue: rawValue) else { preconditionFailure("not unicast: \(rawValue)") }
        return unicast
    }

    static func group(_ rawValue: UInt16) -> GroupAddress {
        guard let group = GroupAddress(rawValue: rawValue) else { preconditionFailure("not a group: \(rawValue)") }
        return group
    }

    static func netIndex(_ rawValue: UInt16) -> NetKeyIndex {
        guard let index = NetKeyIndex(rawValue: rawValue) else { preconditionFailure("no index: \(rawValue)") }
        return index
    }

    static func appIndex(_ rawValue: UInt16) -> AppKeyIndex {
        guard let index = AppKeyIndex(rawValue: rawValue) else { preconditionFailure("no index: \(rawValue)") }
        return index
    }

    static func keys() -> KeyRing {
        var keys = KeyRing()
        keys.set(NetKey(index: .primary, name: "", key: netKey))
        keys.set(AppKey(index: appKeyIndex, name: "", boundNetKey: .primary, key: appKey))
        keys.setDeviceKey(deviceKey, of: node)
        return keys
    }

    static func stack(
        _ address: UnicastAddress,
        next sequence: UInt32 = 0,
        elementCount: Int = 1,
        ivIndex: IVIndex = ivIndex,
        keys: KeyRing = keys(),
        sar: SARParameters = .standard,
        replay: ReplayProtection = ReplayProtection()
    ) -> MeshStack {
        MeshStack(
            address: address,
            elementCount: elementCount,
            ivIndex: ivIndex,
            keys: keys,
            sequenceNumbers: InMemorySequenceNumbers(next: [address: sequence]),
            sar: sar,
            replay: replay
        )
    }

    static func message(
        _ payload: [UInt8],
        from source: UnicastAddress = client,
        to destination: Destination = .unicast(node),
        security: MessageSecurity = .device(node: node),
        ttl: UInt8 = 5
    ) -> OutgoingMessage {
        OutgoingMessage(source: source, destination: destination, payload: payload, security: security, ttl: ttl)
    }

    /// The PDUs of a message of the sample data.
    static func pdus(_ identifier: String) -> [[UInt8]] {
        NetworkVectorTests.messages.first { $0.testDescription == identifier }?.list("networkPdus") ?? []
    }
}

extension Instant {
    /// That many milliseconds after the start.
    static func ms(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }
}

extension [StackAction] {
    var transmitted: [[UInt8]] {
        compactMap { action in
            guard case .transmit(let bytes, _) = action else { return nil }
            return bytes
        }
    }

    var delivered: [IncomingMessage] {
        compactMap { action in
            guard case .deliver(let message) = action else { return nil }
            return message
        }
    }

    var dropped: [DropReason] {
        compactMap { action in
            guard case .dropped(let reason) = action else { return nil }
            return reason
        }
    }

    var completed: [TransmissionIdentifier] {
        compactMap { action in
            guard case .completed(let identifier) = action else { return nil }
            return identifier
        }
    }
}
