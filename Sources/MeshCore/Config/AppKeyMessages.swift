/// A message that names an AppKey and the NetKey it is bound to, in three octets.
package protocol AppKeyMessage: ConfigurationMessage, FieldMessage {
    /// The NetKey that the AppKey is bound to.
    var netKeyIndex: NetKeyIndex { get }
    /// The index of the AppKey.
    var appKeyIndex: AppKeyIndex { get }
}

extension AppKeyMessage {
    package var subject: ConfigurationSubject {
        ConfigurationSubject(netKeyIndex: netKeyIndex, appKeyIndex: appKeyIndex)
    }
}

/// The layout of AppKey Add and Update: NetKeyIndex and AppKeyIndex (3), AppKey (16).
package protocol AppKeyMaterialMessage: AppKeyMessage, ConfigurationRequest where Status == ConfigAppKeyStatus {
    /// The octets of the key.
    var key: KeyMaterial { get }

    /// The message with those fields.
    init(netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex, key: KeyMaterial)
}

extension AppKeyMaterialMessage {
    /// Reads 19 octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let (netKeyIndex, appKeyIndex) = try reader.readKeyIndexPair(NetKeyIndex.self, AppKeyIndex.self)
        self.init(netKeyIndex: netKeyIndex, appKeyIndex: appKeyIndex, key: try KeyMaterial(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeKeyIndexPair(netKeyIndex, appKeyIndex)
        key.write(to: &writer)
    }
}

/// Config AppKey Add (Mesh Protocol 4.3.2.37). Adding a key that the node has succeeds.
package struct ConfigAppKeyAdd: AppKeyMaterialMessage {
    package static let opcode: Opcode = 0x00
    /// The NetKey to bind the AppKey to.
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
    package static let opcode: Opcode = 0x01
    /// The NetKey that the AppKey is bound to.
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
    /// The NetKey that the AppKey is bound to.
    package var netKeyIndex: NetKeyIndex
    package var appKeyIndex: AppKeyIndex

    package init(netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex) {
        self.netKeyIndex = netKeyIndex
        self.appKeyIndex = appKeyIndex
    }

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        (netKeyIndex, appKeyIndex) = try reader.readKeyIndexPair()
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeKeyIndexPair(netKeyIndex, appKeyIndex)
    }
}

/// Config AppKey Status (Mesh Protocol 4.3.2.40).
package struct ConfigAppKeyStatus: AppKeyMessage, ConfigurationStatusMessage {
    package static let opcode: Opcode = 0x8003
    package var status: ConfigStatusCode
    /// The NetKey that the AppKey is bound to.
    package var netKeyIndex: NetKeyIndex
    package var appKeyIndex: AppKeyIndex

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, appKeyIndex: AppKeyIndex) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.appKeyIndex = appKeyIndex
    }

    /// Reads four octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        (netKeyIndex, appKeyIndex) = try reader.readKeyIndexPair()
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        writer.writeKeyIndexPair(netKeyIndex, appKeyIndex)
    }
}

/// Config AppKey Get (Mesh Protocol 4.3.2.41): asks for the AppKeys bound to a NetKey.
package struct ConfigAppKeyGet: NetKeyIndexMessage, ConfigurationRequest {
    package typealias Status = ConfigAppKeyList
    package static let opcode: Opcode = 0x8001
    package var netKeyIndex: NetKeyIndex

    package init(netKeyIndex: NetKeyIndex) {
        self.netKeyIndex = netKeyIndex
    }
}

/// Config AppKey List (Mesh Protocol 4.3.2.42).
package struct ConfigAppKeyList: ConfigurationStatusMessage, FieldMessage {
    package static let opcode: Opcode = 0x8002
    package var status: ConfigStatusCode
    /// The NetKey.
    package var netKeyIndex: NetKeyIndex
    /// The AppKeys bound to it; the order means nothing.
    package var appKeyIndexes: [AppKeyIndex]

    package init(status: ConfigStatusCode, netKeyIndex: NetKeyIndex, appKeyIndexes: [AppKeyIndex]) {
        self.status = status
        self.netKeyIndex = netKeyIndex
        self.appKeyIndexes = appKeyIndexes
    }

    /// Reads three octets, then indexes to the end.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        netKeyIndex = try NetKeyIndex(reading: &reader)
        appKeyIndexes = try reader.readKeyIndexList()
    }

    /// Appends three octets, then the indexes, packed.
    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        netKeyIndex.write(to: &writer)
        writer.writeKeyIndexList(appKeyIndexes)
    }

    package var subject: ConfigurationSubject { ConfigurationSubject(netKeyIndex: netKeyIndex) }
}
