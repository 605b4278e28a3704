/// A message about the binding of an AppKey to a model.
package protocol ModelAppMessage: ModelMessage, FieldMessage {
    /// The index of the AppKey.
    var appKeyIndex: AppKeyIndex { get }
}

extension ModelAppMessage {
    /// The model and the AppKey.
    package var subject: ConfigurationSubject {
        ConfigurationSubject(appKeyIndex: appKeyIndex, elementAddress: elementAddress, model: model)
    }

    fileprivate func writeBinding(to writer: inout ByteWriter) {
        elementAddress.write(to: &writer)
        appKeyIndex.write(to: &writer)
        model.write(to: &writer)
    }
}

/// The layout of Model App Bind and Unbind: ElementAddress (2), AppKeyIndex (2), ModelIdentifier (2 or 4).
package protocol ModelAppRequest: ModelAppMessage, ConfigurationRequest where Status == ConfigModelAppStatus {
    /// The request with those fields.
    init(elementAddress: UnicastAddress, appKeyIndex: AppKeyIndex, model: ModelIdentifier)
}

extension ModelAppRequest {
    /// Reads six or eight octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(
            elementAddress: try UnicastAddress(reading: &reader),
            appKeyIndex: try AppKeyIndex(reading: &reader),
            model: try ModelIdentifier(reading: &reader)
        )
    }

    package func write(to writer: inout ByteWriter) {
        writeBinding(to: &writer)
    }
}

/// Config Model App Bind (Mesh Protocol 4.3.2.46).
package struct ConfigModelAppBind: ModelAppRequest {
    package static let opcode: Opcode = 0x803D
    package var elementAddress: UnicastAddress
    /// The AppKey to bind.
    package var appKeyIndex: AppKeyIndex
    /// The model to bind it to.
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, appKeyIndex: AppKeyIndex, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.appKeyIndex = appKeyIndex
        self.model = model
    }
}

/// Config Model App Unbind (Mesh Protocol 4.3.2.47): stops a publication that uses the key.
package struct ConfigModelAppUnbind: ModelAppRequest {
    package static let opcode: Opcode = 0x803F
    package var elementAddress: UnicastAddress
    /// The AppKey to unbind.
    package var appKeyIndex: AppKeyIndex
    /// The model to unbind it from.
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, appKeyIndex: AppKeyIndex, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.appKeyIndex = appKeyIndex
        self.model = model
    }
}

/// Config Model App Status (Mesh Protocol 4.3.2.48).
package struct ConfigModelAppStatus: ModelAppMessage, ConfigurationStatusMessage {
    package static let opcode: Opcode = 0x803E
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    package var appKeyIndex: AppKeyIndex
    package var model: ModelIdentifier

    package init(
        status: ConfigStatusCode,
        elementAddress: UnicastAddress,
        appKeyIndex: AppKeyIndex,
        model: ModelIdentifier
    ) {
        self.status = status
        self.elementAddress = elementAddress
        self.appKeyIndex = appKeyIndex
        self.model = model
    }

    /// Reads seven or nine octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        elementAddress = try UnicastAddress(reading: &reader)
        appKeyIndex = try AppKeyIndex(reading: &reader)
        model = try ModelIdentifier(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        writeBinding(to: &writer)
    }
}

/// The AppKeys bound to a model.
package protocol ModelAppList: ModelList where Entry == AppKeyIndex {}

extension ModelAppList {
    /// Reads packed indexes; their order means nothing. Zephyr lists 0xFFFC, its index for the DeviceKey of any node,
    /// where a DeviceKey secures a model. Such a model has no AppKey.
    package static func readEntries(from reader: inout ByteReader) throws(DecodeError) -> [AppKeyIndex] {
        var peek = reader
        if reader.remaining == 2, try peek.readUInt16LittleEndian() >= 0xFFFC {
            reader = peek
            return []
        }
        return try reader.readKeyIndexList()
    }

    /// Appends the indexes, packed.
    package static func write(_ entries: [AppKeyIndex], to writer: inout ByteWriter) {
        writer.writeKeyIndexList(entries)
    }
}
