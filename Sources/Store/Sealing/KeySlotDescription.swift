package import MeshCore

/// What can be told of a key slot without any secret. It is what the file claims; only opening the slot proves it.
package struct KeySlotDescription: Hashable, Sendable {
    /// What the slot is called in commands: 8 hexadecimal digits.
    package var identifier: String
    /// The kind of secret that opens it. Nil if a later version of the program made it, or it is damaged.
    package var kind: KeySlotKind?
    /// The name that its owner gave it; may be empty.
    package var label: String
    /// When it was made; nil if that is not known.
    package var created: Timestamp?
    /// What the derivation from the passphrase costs; nil for slots of other kinds.
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
