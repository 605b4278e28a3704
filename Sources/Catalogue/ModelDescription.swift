package import MeshCore

/// A model of the Bluetooth SIG with its messages and states.
///
/// Names, relations and abilities are those of MeshCore's ``ModelCatalogue``.
package struct ModelDescription: Hashable, Sendable {
    /// The identifier.
    package let identifier: ModelIdentifier
    /// The name in the specification: `Generic OnOff Server`.
    package let title: String
    /// What it supports; nil if no source tells.
    package let abilities: CatalogueModel.Abilities?

    /// The name in definitions: `generic-onoff-server`.
    package var name: String { MessageDescription.name(of: title) }
    /// Whether it is a client.
    package var isClient: Bool { title.hasSuffix(" Client") }
    /// The messages that it sends or receives.
    package var messages: [MessageDescription] { MessageCatalogue.sig.messages(of: identifier) }
    /// The states that it reads or sets.
    package var states: [StateDescription] { StateCatalogue.states(of: identifier) }

    /// Every model, sorted by identifier.
    package static let all: [ModelDescription] = {
        let known = ModelCatalogue.models.map {
            ModelDescription(identifier: $0.identifier, title: $0.title, abilities: $0.abilities)
        }
        return (known + [iec62386]).sorted { $0.identifier < $1.identifier }
    }()

    /// The model with that identifier; nil for vendor models and unknown models.
    package static func model(_ identifier: ModelIdentifier) -> ModelDescription? {
        byIdentifier[identifier]
    }

    private static let byIdentifier = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })

    /// DALI over mesh (IEC 62386-104). Only its identifier, its name and the name of its message are known; MeshCore's
    /// catalogue has no place for a model of which it is not known what it supports.
    private static let iec62386 = ModelDescription(
        identifier: .sig(0x1312),
        title: "IEC 62386-104 Model",
        abilities: nil
    )
}
