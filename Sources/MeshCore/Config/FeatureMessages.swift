/// The layout of messages that switch a state or tell whether it is on: one octet, 0x00 or 0x01.
package protocol SwitchMessage: ConfigurationMessage, FieldMessage {
    /// Whether the state is on.
    var isEnabled: Bool { get }

    /// The message for on or off.
    init(isEnabled: Bool)
}

extension SwitchMessage {
    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(isEnabled: try Bool(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        isEnabled.write(to: &writer)
    }
}

/// The layout of messages that tell the state of a feature: one octet, see ``FeatureState``.
package protocol FeatureStatusMessage: ConfigurationMessage, FieldMessage {
    /// Whether the feature is on, off or not supported.
    var state: FeatureState { get }

    /// The message with that state.
    init(state: FeatureState)
}

extension FeatureStatusMessage {
    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(state: try FeatureState(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        state.write(to: &writer)
    }
}

/// Config Beacon Get (Mesh Protocol 4.3.2.1).
package struct ConfigBeaconGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigBeaconStatus
    package static let opcode: Opcode = 0x8009

    package init() {}
}

/// Config Beacon Set (Mesh Protocol 4.3.2.2).
package struct ConfigBeaconSet: SwitchMessage, ConfigurationRequest {
    package typealias Status = ConfigBeaconStatus
    package static let opcode: Opcode = 0x800A
    /// Whether the node should send Secure Network beacons.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config Beacon Status (Mesh Protocol 4.3.2.3).
package struct ConfigBeaconStatus: SwitchMessage {
    package static let opcode: Opcode = 0x800B
    /// Whether the node sends Secure Network beacons.
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config GATT Proxy Get (Mesh Protocol 4.3.2.9).
package struct ConfigGATTProxyGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigGATTProxyStatus
    package static let opcode: Opcode = 0x8012

    package init() {}
}

/// Config GATT Proxy Set (Mesh Protocol 4.3.2.10).
package struct ConfigGATTProxySet: SwitchMessage, ConfigurationRequest {
    package typealias Status = ConfigGATTProxyStatus
    package static let opcode: Opcode = 0x8013
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config GATT Proxy Status (Mesh Protocol 4.3.2.11).
package struct ConfigGATTProxyStatus: FeatureStatusMessage {
    package static let opcode: Opcode = 0x8014
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
package struct ConfigFriendSet: SwitchMessage, ConfigurationRequest {
    package typealias Status = ConfigFriendStatus
    package static let opcode: Opcode = 0x8010
    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }
}

/// Config Friend Status (Mesh Protocol 4.3.2.57).
package struct ConfigFriendStatus: FeatureStatusMessage {
    package static let opcode: Opcode = 0x8011
    package var state: FeatureState

    package init(state: FeatureState) {
        self.state = state
    }
}
