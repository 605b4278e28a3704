/// A message about a NetKey.
package protocol NetKeyMessage: ConfigurationMessage, FoundationMessage {
    var netKeyIndex: NetKeyIndex { get }
}

extension NetKeyMessage {
    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// A message about a NetKey and the octets of the key.
package protocol NetKeyMaterialMessage: NetKeyMessage, ConfigurationRequest {
    var key: KeyMaterial { get }
}

/// Config NetKey Add (Mesh Protocol 4.3.2.31). Adding a key that the node has succeeds.
package struct ConfigNetKeyAdd: NetKeyMaterialMessage {
    package typealias Status = ConfigNetKeyStatus
    package static let opcode: Opcode = 0x8040
    package static let layout = Layout(Self.init, .field("net_key_index", \.netKeyIndex), .field("net_key", \.key))
    package var netKeyIndex: NetKeyIndex
    package var key: KeyMaterial

    package init(netKeyIndex: NetKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.key = key
    }
}

/// Config NetKey Update (Mesh Protocol 4.3.2.32): starts the key refresh of the subnet on the node.
package struct ConfigNetKeyUpdate: NetKeyMaterialMessage {
    package typealias Status = ConfigNetKeyStatus
    package static let opcode: Opcode = 0x8045
    package static let layout = Layout(Self.init, .field("net_key_index", \.netKeyIndex), .field("net_key", \.key))
    package var netKeyIndex: NetKeyIndex
    package var key: KeyMaterial

    package init(netKeyIndex: NetKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.key = key
    }
}

/// Config NetKey Delete (Mesh Protocol 4.3.2.33): also deletes the AppKeys bound to it. Deleting an unknown index
/// succeeds.
package struct ConfigNetKeyDelete: NetKeyMessage, ConfigurationRequest {
    package typealias Status = ConfigNetKeyStatus
    package static let opcode: Opcode = 0x8041
    package static let layout = Layout(Self.init, .field("net_key_index", \.netKeyIndex))
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config NetKey Status (Mesh Protocol 4.3.2.34).
package struct ConfigNetKeyStatus: NetKeyMessage, ConfigurationStatusMessage {
    package static let opcode: Opcode = 0x8044
    package static let layout = Layout(Self.init, .field("status", \.status), .field("net_key_index", \.netKeyIndex))
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex) {
        self.status = status
        self.netKeyIndex = netKeyIndex
    }
}

/// Config NetKey Get (Mesh Protocol 4.3.2.35).
package struct ConfigNetKeyGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigNetKeyList
    package static let opcode: Opcode = 0x8042

    package init() {}
}

/// Config NetKey List (Mesh Protocol 4.3.2.36).
package struct ConfigNetKeyList: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x8043
    package static let layout = Layout(Self.init, .keyIndexes("net_key_indexes", \.netKeyIndexes))
    /// All NetKeys of the node; the order means nothing.
    package var netKeyIndexes: [NetKeyIndex]

    package init(netKeyIndexes: [NetKeyIndex]) {
        self.netKeyIndexes = netKeyIndexes
    }
}

/// The index of an AppKey and that of the NetKey it is bound to, packed into three octets.
package struct AppKeyBinding: AccessField, Sendable {
    package static let notation = "net_key_index:packed-key-index app_key_index:packed-key-index"
    let netKeyIndex: NetKeyIndex
    let appKeyIndex: AppKeyIndex

    fileprivate init(_ message: some AppKeyMessage) {
        netKeyIndex = message.netKeyIndex
        appKeyIndex = message.appKeyIndex
    }

    package init(reading reader: inout ByteReader) throws(DecodeError) {
        (netKeyIndex, appKeyIndex) = try reader.readKeyIndexPair()
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeKeyIndexPair(netKeyIndex, appKeyIndex)
    }
}

/// A message that names an AppKey and the NetKey it is bound to.
package protocol AppKeyMessage: ConfigurationMessage, FoundationMessage {
    var netKeyIndex: NetKeyIndex { get }
    var appKeyIndex: AppKeyIndex { get }
}

extension AppKeyMessage {
    package var subject: ConfigurationSubject {
        ConfigurationSubject(netKeyIndex: netKeyIndex, appKeyIndex: appKeyIndex)
    }

    fileprivate var binding: AppKeyBinding { AppKeyBinding(self) }
}

/// A message with the octets of an AppKey.
package protocol AppKeyMaterialMessage: AppKeyMessage, ConfigurationRequest {
    var key: KeyMaterial { get }

    init(netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex, key: KeyMaterial)
}

extension AppKeyMaterialMessage {
    fileprivate init(_ binding: AppKeyBinding, _ key: KeyMaterial) {
        self.init(netKeyIndex: binding.netKeyIndex, appKeyIndex: binding.appKeyIndex, key: key)
    }
}

/// Config AppKey Add (Mesh Protocol 4.3.2.37). Adding a key that the node has succeeds.
package struct ConfigAppKeyAdd: AppKeyMaterialMessage {
    package typealias Status = ConfigAppKeyStatus
    package static let opcode: Opcode = 0x00
    package static let layout = Layout(Self.init, .field("", \.binding), .field("app_key", \.key))
    package var netKeyIndex: NetKeyIndex
    package var appKeyIndex: AppKeyIndex
    package var key: KeyMaterial

    package init(netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.appKeyIndex = appKeyIndex
        self.key = key
    }
}

/// Config AppKey Update (Mesh Protocol 4.3.2.38): allowed only in phase 1 of the NetKey's refresh.
package struct ConfigAppKeyUpdate: AppKeyMaterialMessage {
    package typealias Status = ConfigAppKeyStatus
    package static let opcode: Opcode = 0x01
    package static let layout = Layout(Self.init, .field("", \.binding), .field("app_key", \.key))
    package var netKeyIndex: NetKeyIndex
    package var appKeyIndex: AppKeyIndex
    package var key: KeyMaterial

    package init(netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.appKeyIndex = appKeyIndex
        self.key = key
    }
}

/// Config AppKey Delete (Mesh Protocol 4.3.2.39): also ends the key's bindings and publications.
package struct ConfigAppKeyDelete: AppKeyMessage, ConfigurationRequest {
    package typealias Status = ConfigAppKeyStatus
    package static let opcode: Opcode = 0x8000
    package static let layout = Layout(
        { Self(netKeyIndex: $0.netKeyIndex, appKeyIndex: $0.appKeyIndex) },
        .field("", \.binding)
    )
    package var netKeyIndex: NetKeyIndex
    package var appKeyIndex: AppKeyIndex

    package init(netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex) {
        self.netKeyIndex = netKeyIndex
        self.appKeyIndex = appKeyIndex
    }
}

/// Config AppKey Status (Mesh Protocol 4.3.2.40).
package struct ConfigAppKeyStatus: AppKeyMessage, ConfigurationStatusMessage {
    package static let opcode: Opcode = 0x8003
    package static let layout = Layout(
        { Self(status: $0, netKeyIndex: $1.netKeyIndex, appKeyIndex: $1.appKeyIndex) },
        .field("status", \.status),
        .field("", \.binding)
    )
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex
    package var appKeyIndex: AppKeyIndex

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.appKeyIndex = appKeyIndex
    }
}

/// Config AppKey Get (Mesh Protocol 4.3.2.41): asks for the AppKeys bound to a NetKey.
package struct ConfigAppKeyGet: NetKeyMessage, ConfigurationRequest {
    package typealias Status = ConfigAppKeyList
    package static let opcode: Opcode = 0x8001
    package static let layout = Layout(Self.init, .field("net_key_index", \.netKeyIndex))
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config AppKey List (Mesh Protocol 4.3.2.42).
package struct ConfigAppKeyList: NetKeyMessage, ConfigurationStatusMessage {
    package static let opcode: Opcode = 0x8002
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("net_key_index", \.netKeyIndex),
        .keyIndexes("app_key_indexes", \.appKeyIndexes)
    )
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex
    /// The AppKeys bound to it; the order means nothing.
    package var appKeyIndexes: [AppKeyIndex]

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, appKeyIndexes: [AppKeyIndex]) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.appKeyIndexes = appKeyIndexes
    }
}

/// What Key Refresh Phase Set asks a node to do (Mesh Protocol 4.3.2.59).
package enum KeyRefreshTransition: UInt8, CaseIterable, Hashable, Sendable, AccessField {
    package static let notation = "$:key-refresh-transition"
    /// Use the new keys: go to phase 2.
    case useNewKeys = 2
    /// Revoke the old keys: go through phase 3 back to normal.
    case revokeOldKeys = 3
}

/// Config Key Refresh Phase Get (Mesh Protocol 4.3.2.58).
package struct ConfigKeyRefreshPhaseGet: NetKeyMessage, ConfigurationRequest {
    package typealias Status = ConfigKeyRefreshPhaseStatus
    package static let opcode: Opcode = 0x8015
    package static let layout = Layout(Self.init, .field("net_key_index", \.netKeyIndex))
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config Key Refresh Phase Set (Mesh Protocol 4.3.2.59).
package struct ConfigKeyRefreshPhaseSet: NetKeyMessage, ConfigurationRequest {
    package typealias Status = ConfigKeyRefreshPhaseStatus
    package static let opcode: Opcode = 0x8016
    package static let layout = Layout(
        Self.init,
        .field("net_key_index", \.netKeyIndex),
        .field("transition", \.transition)
    )
    package var netKeyIndex: NetKeyIndex
    /// What the node should do.
    package var transition: KeyRefreshTransition

    package init(netKeyIndex: NetKeyIndex, transition: KeyRefreshTransition) {
        self.netKeyIndex = netKeyIndex
        self.transition = transition
    }
}

/// Config Key Refresh Phase Status (Mesh Protocol 4.3.2.60).
package struct ConfigKeyRefreshPhaseStatus: NetKeyMessage, ConfigurationStatusMessage {
    package static let opcode: Opcode = 0x8017
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("net_key_index", \.netKeyIndex),
        .field("phase", \.phase)
    )
    package var status: ConfigStatusCode
    package var netKeyIndex: NetKeyIndex
    package var phase: KeyRefreshPhase

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, phase: KeyRefreshPhase) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.phase = phase
    }
}
