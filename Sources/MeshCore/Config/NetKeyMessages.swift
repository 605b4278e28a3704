/// The layout of NetKey Add and Update: NetKeyIndex (2), NetKey (16).
package protocol NetKeyMaterialMessage: ConfigurationRequest, FieldMessage where Status == ConfigNetKeyStatus {
    /// Which NetKey.
    var netKeyIndex: NetKeyIndex { get }
    /// The key.
    var key: KeyMaterial { get }

    /// The message with that key.
    init(netKeyIndex: NetKeyIndex, key: KeyMaterial)
}

extension NetKeyMaterialMessage {
    /// Reads 18 octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(netKeyIndex: try NetKeyIndex(reading: &reader), key: try KeyMaterial(reading: &reader))
    }

    /// Appends 18 octets.
    package func write(to writer: inout ByteWriter) {
        netKeyIndex.write(to: &writer)
        key.write(to: &writer)
    }

    /// The NetKey.
    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// Config NetKey Add (Mesh Protocol 4.3.2.31): adding the key that is already there succeeds.
package struct ConfigNetKeyAdd: NetKeyMaterialMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8040
    /// Which NetKey.
    package var netKeyIndex: NetKeyIndex
    /// The key.
    package var key: KeyMaterial

    /// Adds the key.
    package init(netKeyIndex: NetKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.key = key
    }
}

/// Config NetKey Update (Mesh Protocol 4.3.2.32): starts the key refresh of the subnet on the node.
package struct ConfigNetKeyUpdate: NetKeyMaterialMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8045
    /// Which NetKey.
    package var netKeyIndex: NetKeyIndex
    /// The new key.
    package var key: KeyMaterial

    /// Updates to the key.
    package init(netKeyIndex: NetKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.key = key
    }
}

/// Config NetKey Delete (Mesh Protocol 4.3.2.33): takes the AppKeys bound to it along; an unknown index succeeds.
package struct ConfigNetKeyDelete: NetKeyIndexMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = ConfigNetKeyStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8041
    /// Which NetKey.
    package var netKeyIndex: NetKeyIndex

    /// Deletes the key.
    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config NetKey Status (Mesh Protocol 4.3.2.34).
package struct ConfigNetKeyStatus: ConfigurationStatusMessage, FieldMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8044
    /// The outcome.
    package var status: ConfigStatusCode
    /// Which NetKey.
    package var netKeyIndex: NetKeyIndex

    /// The outcome for that NetKey.
    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex) {
        self.status = status
        self.netKeyIndex = netKeyIndex
    }

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        netKeyIndex = try NetKeyIndex(reading: &reader)
    }

    /// Appends three octets.
    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        netKeyIndex.write(to: &writer)
    }

    /// The NetKey.
    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// Config NetKey Get (Mesh Protocol 4.3.2.35).
package struct ConfigNetKeyGet: ParameterlessMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = ConfigNetKeyList
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8042

    /// Asks for the list.
    package init() {}
}

/// Config NetKey List (Mesh Protocol 4.3.2.36).
package struct ConfigNetKeyList: ConfigurationMessage, FieldMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8043
    /// All NetKeys of the node; the order says nothing.
    package var netKeyIndexes: [NetKeyIndex]

    /// A list.
    package init(netKeyIndexes: [NetKeyIndex]) {
        self.netKeyIndexes = netKeyIndexes
    }

    /// Reads indexes to the end.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        netKeyIndexes = try reader.readKeyIndexList()
    }

    /// Appends the indexes, packed.
    package func write(to writer: inout ByteWriter) {
        writer.writeKeyIndexList(netKeyIndexes)
    }
}
