/// A message about a model on an element.
package protocol ModelMessage: ConfigurationMessage {
    var elementAddress: UnicastAddress { get }
    var model: ModelIdentifier { get }
}

extension ModelMessage {
    package var subject: ConfigurationSubject {
        ConfigurationSubject(elementAddress: elementAddress, model: model)
    }
}

/// A message about the binding of an AppKey to a model.
package protocol ModelAppMessage: ModelMessage, FoundationMessage {
    var appKeyIndex: AppKeyIndex { get }
}

extension ModelAppMessage {
    package var subject: ConfigurationSubject {
        ConfigurationSubject(appKeyIndex: appKeyIndex, elementAddress: elementAddress, model: model)
    }
}

/// Config Model App Bind (Mesh Protocol 4.3.2.46).
package struct ConfigModelAppBind: ModelAppMessage, ConfigurationRequest {
    package typealias Status = ConfigModelAppStatus
    package static let opcode: Opcode = 0x803D
    package static let layout = Layout(
        Self.init,
        .field("element", \.elementAddress),
        .field("app_key_index", \.appKeyIndex),
        .field("model", \.model)
    )
    package var elementAddress: UnicastAddress
    package var appKeyIndex: AppKeyIndex
    package var model: ModelIdentifier

    package init(elementAddress: UnicastAddress, appKeyIndex: AppKeyIndex, model: ModelIdentifier) {
        self.elementAddress = elementAddress
        self.appKeyIndex = appKeyIndex
        self.model = model
    }
}

/// Config Model App Unbind (Mesh Protocol 4.3.2.47): stops a publication that uses the key.
package struct ConfigModelAppUnbind: ModelAppMessage, ConfigurationRequest {
    package typealias Status = ConfigModelAppStatus
    package static let opcode: Opcode = 0x803F
    package static let layout = Layout(
        Self.init,
        .field("element", \.elementAddress),
        .field("app_key_index", \.appKeyIndex),
        .field("model", \.model)
    )
    package var elementAddress: UnicastAddress
    package var appKeyIndex: AppKeyIndex
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
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("element", \.elementAddress),
        .field("app_key_index", \.appKeyIndex),
        .field("model", \.model)
    )
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
}
