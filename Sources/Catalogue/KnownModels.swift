package import MeshCore

/// Every model that commands know: those of the Bluetooth SIG, and vendor models that files describe.
package struct KnownModels: Sendable {
    package let vendorModels: [VendorModel]
    package let names: ModelNames
    /// The messages of the Bluetooth SIG and of vendor models; nil if there are no vendor models.
    private let allMessages: MessageCatalogue?
    private let vendorStates: [ModelIdentifier: [StateDescription]]

    /// Only the models of the Bluetooth SIG.
    package static let sig = KnownModels([])

    /// The models of the Bluetooth SIG and vendor models. A message that cannot be told from an earlier one, or whose
    /// name is taken, is left out; who reads files reports such messages.
    package init(_ vendorModels: [VendorModel]) {
        self.vendorModels = vendorModels
        names = ModelNames(vendorModels.map { ($0.identifier, $0.name) })
        var states: [ModelIdentifier: [StateDescription]] = [:]
        guard !vendorModels.isEmpty else {
            (allMessages, vendorStates) = (nil, states)
            return
        }
        var messages = MessageCatalogue.sig
        for model in vendorModels {
            for message in model.messages { try? messages.insert(message) }
            states[model.identifier, default: []] += model.states
        }
        allMessages = messages
        vendorStates = states
    }

    /// The messages of all models. Those of the Bluetooth SIG are made when somebody asks for them the first time,
    /// because most commands never do.
    package var messages: MessageCatalogue { allMessages ?? .sig }

    /// The states that a model holds: of a server those that it reads, of a setup server those that it sets.
    package func states(of model: ModelIdentifier) -> [StateDescription] {
        vendorStates[model] ?? StateCatalogue.states(of: model)
    }

    package func states(reportedBy status: MessageDescription) -> [StateDescription] {
        let vendor = vendorModels.flatMap(\.states).filter { $0.statusMessage == status }
        return vendor.isEmpty ? StateCatalogue.states(reportedBy: status.opcode) : vendor
    }

    package func state(named name: String) -> StateDescription? {
        StateCatalogue.state(named: name) ?? vendorModels.lazy.flatMap(\.states).first { $0.name == name }
    }

    /// The names of all states, for suggestions.
    package var stateNames: [String] { StateCatalogue.states.map(\.name) + vendorModels.flatMap(\.states).map(\.name) }
}
