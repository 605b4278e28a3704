/// Config Beacon Get (Mesh Protocol 4.3.2.1).
package struct ConfigBeaconGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigBeaconStatus
    package static let opcode: Opcode = 0x8009

    package init() {}
}

/// Config Beacon Set (Mesh Protocol 4.3.2.2).
package struct ConfigBeaconSet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigBeaconStatus
    package static let opcode: Opcode = 0x800A
    package static let layout = Layout(Self.init, .field("beacon", \.isEnabled))
    /// Whether the node should send Secure Network beacons.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config Beacon Status (Mesh Protocol 4.3.2.3).
package struct ConfigBeaconStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x800B
    package static let layout = Layout(Self.init, .field("beacon", \.isEnabled))
    /// Whether the node sends Secure Network beacons.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config Composition Data Get (Mesh Protocol 4.3.2.4): asks for a page. A node that does not have it sends the next
/// lower page that it has.
package struct ConfigCompositionDataGet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigCompositionDataStatus
    package static let opcode: Opcode = 0x8008
    package static let layout = Layout(Self.init, .field("page", \.page, as: "number"))
    /// The highest page wanted; 0xFF for the highest of the node.
    package var page: UInt8

    package init(page: UInt8) {
        self.page = page
    }

    /// A node answers with the page asked for or a lower one.
    package func isAnswered(by status: ConfigCompositionDataStatus) -> Bool {
        status.page <= page
    }
}

/// Config Composition Data Status (Mesh Protocol 4.3.2.5).
package struct ConfigCompositionDataStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x02
    package static let layout = Layout(
        Self.init,
        .field("page", \.page, as: "number"),
        .octets("data", \.data, as: "data")
    )
    package var page: UInt8
    /// The octets of the page.
    package var data: [UInt8]

    package init(page: UInt8, data: [UInt8]) {
        self.page = page
        self.data = data
    }

    /// The decoded page; nil if it is not page 0. A model that an element names twice counts once.
    package func composition() throws(DecodeError) -> Composition? {
        page == 0 ? try Composition.told(page0: data).0 : nil
    }
}

/// Config Default TTL Get (Mesh Protocol 4.3.2.6).
package struct ConfigDefaultTTLGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigDefaultTTLStatus
    package static let opcode: Opcode = 0x800C

    package init() {}
}

/// Config Default TTL Set (Mesh Protocol 4.3.2.7).
package struct ConfigDefaultTTLSet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigDefaultTTLStatus
    package static let opcode: Opcode = 0x800D
    package static let layout = Layout(Self.init, .defaultTTL(\.ttl))
    /// The TTL, 0 or 2...127; nodes refuse other values.
    package var ttl: UInt8

    package init(ttl: UInt8) {
        self.ttl = ttl
    }
}

/// Config Default TTL Status (Mesh Protocol 4.3.2.8).
package struct ConfigDefaultTTLStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x800E
    package static let layout = Layout(Self.init, .defaultTTL(\.ttl))
    /// The TTL, 0 or 2...127.
    package var ttl: UInt8

    package init(ttl: UInt8) {
        self.ttl = ttl
    }
}

extension Field where Value == UInt8 {
    /// One octet; 0x01 and everything above 0x7F are prohibited.
    fileprivate static func defaultTTL(_ value: @escaping @Sendable (Message) -> UInt8) -> Field {
        Field(
            notation: "ttl:default-ttl",
            value: value,
            read: { (reader) throws(DecodeError) in
                let ttl = try reader.readUInt8()
                guard ttl != 1, ttl <= 0x7F else { throw .prohibited(field: "default TTL", value: UInt64(ttl)) }
                return ttl
            },
            write: { $1.write($0) }
        )
    }
}

/// Config GATT Proxy Get (Mesh Protocol 4.3.2.9).
package struct ConfigGATTProxyGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigGATTProxyStatus
    package static let opcode: Opcode = 0x8012

    package init() {}
}

/// Config GATT Proxy Set (Mesh Protocol 4.3.2.10).
package struct ConfigGATTProxySet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigGATTProxyStatus
    package static let opcode: Opcode = 0x8013
    package static let layout = Layout(Self.init, .field("gatt_proxy", \.isEnabled))
    /// Whether the node should serve proxy clients.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config GATT Proxy Status (Mesh Protocol 4.3.2.11).
package struct ConfigGATTProxyStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8014
    package static let layout = Layout(Self.init, .field("gatt_proxy", \.state))
    /// Whether the feature is on, off or not supported.
    package var state: FeatureState

    package init(state: FeatureState) {
        self.state = state
    }
}

/// Config Friend Get (Mesh Protocol 4.3.2.55).
package struct ConfigFriendGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigFriendStatus
    package static let opcode: Opcode = 0x800F

    package init() {}
}

/// Config Friend Set (Mesh Protocol 4.3.2.56).
package struct ConfigFriendSet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigFriendStatus
    package static let opcode: Opcode = 0x8010
    package static let layout = Layout(Self.init, .field("friend", \.isEnabled))
    /// Whether the node should befriend Low Power nodes.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config Friend Status (Mesh Protocol 4.3.2.57).
package struct ConfigFriendStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8011
    package static let layout = Layout(Self.init, .field("friend", \.state))
    /// Whether the feature is on, off or not supported.
    package var state: FeatureState

    package init(state: FeatureState) {
        self.state = state
    }
}

/// Config Relay Get (Mesh Protocol 4.3.2.12).
package struct ConfigRelayGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigRelayStatus
    package static let opcode: Opcode = 0x8026

    package init() {}
}

/// Config Relay Set (Mesh Protocol 4.3.2.13).
package struct ConfigRelaySet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigRelayStatus
    package static let opcode: Opcode = 0x8027
    package static let layout = Layout(
        Self.init,
        .field("relay", \.isEnabled),
        .field("relay_retransmit", \.retransmit)
    )
    package var isEnabled: Bool
    /// How relayed network PDUs are repeated.
    package var retransmit: TransmitParameters

    package init(isEnabled: Bool, retransmit: TransmitParameters) {
        self.isEnabled = isEnabled
        self.retransmit = retransmit
    }
}

/// Config Relay Status (Mesh Protocol 4.3.2.14).
package struct ConfigRelayStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8028
    package static let layout = Layout(Self.init, .field("relay", \.state), .field("relay_retransmit", \.retransmit))
    /// Whether the feature is on, off or not supported.
    package var state: FeatureState
    /// How relayed network PDUs are repeated.
    package var retransmit: TransmitParameters

    package init(state: FeatureState, retransmit: TransmitParameters) {
        self.state = state
        self.retransmit = retransmit
    }
}

/// Config Network Transmit Get (Mesh Protocol 4.3.2.69).
package struct ConfigNetworkTransmitGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigNetworkTransmitStatus
    package static let opcode: Opcode = 0x8023

    package init() {}
}

/// Config Network Transmit Set (Mesh Protocol 4.3.2.70).
package struct ConfigNetworkTransmitSet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigNetworkTransmitStatus
    package static let opcode: Opcode = 0x8024
    package static let layout = Layout(Self.init, .field("network_transmit", \.transmit))
    /// How the node should repeat network PDUs that it originates.
    package var transmit: TransmitParameters

    package init(transmit: TransmitParameters) {
        self.transmit = transmit
    }
}

/// Config Network Transmit Status (Mesh Protocol 4.3.2.71).
package struct ConfigNetworkTransmitStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8025
    package static let layout = Layout(Self.init, .field("network_transmit", \.transmit))
    /// How the node repeats network PDUs that it originates.
    package var transmit: TransmitParameters

    package init(transmit: TransmitParameters) {
        self.transmit = transmit
    }
}

/// Config Node Reset (Mesh Protocol 4.3.2.53): the node forgets its network.
package struct ConfigNodeReset: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigNodeResetStatus
    package static let opcode: Opcode = 0x8049

    package init() {}
}

/// Config Node Reset Status (Mesh Protocol 4.3.2.54). The node forgets its keys after sending it and so cannot repeat
/// it. A missing answer therefore does not mean that the node was not reset.
package struct ConfigNodeResetStatus: ParameterlessMessage, ConfigurationMessage {
    package static let opcode: Opcode = 0x804A

    package init() {}
}

/// Config Low Power Node PollTimeout Get (Mesh Protocol 4.3.2.67): asks a Friend about one of its Low Power nodes.
package struct ConfigLowPowerNodePollTimeoutGet: ConfigurationRequest, FoundationMessage {
    package typealias Status = ConfigLowPowerNodePollTimeoutStatus
    package static let opcode: Opcode = 0x802D
    package static let layout = Layout(Self.init, .field("lpn_address", \.lowPowerNodeAddress))
    /// The address of the Low Power node's primary element.
    package var lowPowerNodeAddress: UnicastAddress

    package init(lowPowerNodeAddress: UnicastAddress) {
        self.lowPowerNodeAddress = lowPowerNodeAddress
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: lowPowerNodeAddress) }
}

/// Config Low Power Node PollTimeout Status (Mesh Protocol 4.3.2.68).
package struct ConfigLowPowerNodePollTimeoutStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x802E
    package static let layout = Layout(Self.init, .field("lpn_address", \.lowPowerNodeAddress), pollTimeoutField)
    /// The address of the Low Power node's primary element.
    package var lowPowerNodeAddress: UnicastAddress
    /// In steps of 100 ms, 0x00000A...0x34BBFF; 0 if the answering node is not that node's Friend.
    package var pollTimeout: UInt32

    package init(lowPowerNodeAddress: UnicastAddress, pollTimeout: UInt32) {
        self.lowPowerNodeAddress = lowPowerNodeAddress
        self.pollTimeout = pollTimeout
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(elementAddress: lowPowerNodeAddress) }

    private static let pollTimeoutField = Field<Self, UInt32>(
        notation: "poll_timeout:poll-timeout",
        value: \.pollTimeout,
        read: { (reader) throws(DecodeError) in
            let timeout = try reader.readUInt24LittleEndian()
            guard timeout == 0 || (0x00_000A...0x34_BBFF).contains(timeout) else {
                throw .prohibited(field: "PollTimeout", value: UInt64(timeout))
            }
            return timeout
        },
        write: { $1.writeUInt24LittleEndian($0) }
    )
}
