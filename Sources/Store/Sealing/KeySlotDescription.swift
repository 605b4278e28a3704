package import MeshCore

/// What can be told of a key slot without any secret. It is what the file says; only that a slot opens proves it.
package struct KeySlotDescription: Hashable, Sendable {
    /// What the slot is called in commands: 8 hexadecimal digits.
    package var identifier: String
    /// Which kind of secret opens it; nil if a later version of the program made it, or it is damaged.
    package var kind: KeySlotKind?
    /// What its owner calls it; may be empty.
    package var label: String
    /// When it was made, nil where that is not known.
    package var created: Timestamp?
    /// What a derivation from the passphrase costs, for a slot of that kind.
    package var cost: Scrypt.Cost?

    init(_ slot: KeySlot) {
        guard let parameters = KeySlotParameters(of: slot) else {
            identifier = Hexadecimal.encode(
                (SHA256.hash(slot.wrapped) ?? []).prefix(KeySlotParameters.identifierLength)
            )
            label = ""
            return
        }
        identifier = Hexadecimal.encode(parameters.identifier)
        kind = KeySlotKind(rawValue: slot.kind)
        label = parameters.label
        created = parameters.created
        if case .scrypt(let cost, _) = parameters.derivation { self.cost = cost }
    }
}
