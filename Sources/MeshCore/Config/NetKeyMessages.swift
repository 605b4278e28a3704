/// The layout of NetKey Add and Update: NetKeyIndex (2), NetKey (16).
package protocol NetKeyMaterialMessage: ConfigurationRequest, FieldMessage where Status == ConfigNetKeyStatus {
    /// The index of the NetKey.
    var netKeyIndex: NetKeyIndex { get }
    /// The octets of the key.
    var key: KeyMaterial { get }

    /// The message with those fields.
    init(netKeyIndex: NetKeyIndex, key: KeyMaterial)
}

extension NetKeyMaterialMessage {
    /// Reads 18 octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(netKeyIndex: try NetKeyIndex(reading: &reader), key: try KeyMaterial(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        netKeyIndex.write(to: &writer)
        key.write(to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// Config NetKey Add (Mesh Protocol 4.3.2.31). Adding a key that the node has succeeds.
package struct ConfigNetKeyAdd: NetKeyMaterialMessage {
    package static let opcode: Opcode = 0x8040
    package var netKeyIndex: NetKeyIndex
    package var key: KeyMaterial

    package init(netKeyIndex: NetKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.key = key
    }
}

/// Config NetKey Update (Mesh Protocol 4.3.2.32): starts the key refresh of the subnet on the node.
package struct ConfigNetKeyUpdate: NetKeyMaterialMessage {
    package static let opcode: Opcode = 0x8045
    package var netKeyIndex: NetKeyIndex
    package var key: KeyMaterial

    package init(netKeyIndex: NetKeyIndex, key: KeyMaterial) {
        self.netKeyIndex = netKeyIndex
        self.key = key
    }
}

/// Config NetKey Delete (Mesh Protocol 4.3.2.33): also deletes the AppKeys bound to it. Deleting an unknown index
/// succeeds.
package struct ConfigNetKeyDelete: NetKeyIndexMessage, ConfigurationRequest {
    package typealias Status = ConfigNetKeyStatus
    package static let opcode: Opcode = 0x8041
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config NetKey Status (Mesh Protocol 4.3.2.34).
package struct ConfigNetKeyStatus: ConfigurationStatusMessage, FieldMessage {
    package static let opcode: Opcode = 0x8044
    package var status: ConfigStatusCode
    /// The index of the NetKey.
    package var netKeyIndex: NetKeyIndex

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex) {
        self.status = status
        self.netKeyIndex = netKeyIndex
    }

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        netKeyIndex = try NetKeyIndex(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        netKeyIndex.write(to: &writer)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}

/// Config NetKey Get (Mesh Protocol 4.3.2.35).
package struct ConfigNetKeyGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigNetKeyList
    package static let opcode: Opcode = 0x8042

    package init() {}
}

/// Config NetKey List (Mesh Protocol 4.3.2.36).
package struct ConfigNetKeyList: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x8043
    /// All NetKeys of the node; the order means nothing.
    package var netKeyIndexes: [NetKeyIndex]

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
