package import MeshCore
package import Planning

/// What somebody is asked while a device is being provisioned.
package enum OutOfBandQuestion: Hashable, Sendable {
    /// Which value the device outputs, of at most that many digits or characters.
    case output(device: String, OutputAction, size: UInt8)
    /// To put this value into the device; the device itself tells when that is done.
    case input(device: String, InputAction, OutOfBandValue)
}

/// Who knows what does not go over the radio: files with secrets, and a person who sees the devices.
package struct OutOfBandDesk {
    /// The static value of a device, nil if nobody has one; throws if there should be one and it cannot be read.
    package var staticValue: (ProvisioningOrder) throws(ExecutionContext.KeyError) -> StaticOutOfBandValue?
    /// The public key of a device that was read out of band, nil if nobody has it; throws as above.
    package var publicKey: (ProvisioningOrder) throws(ExecutionContext.KeyError) -> P256PublicKey?
    /// Whether somebody can look at devices and type. If not, output and input are not chosen.
    package var isAttended: Bool
    /// Shows a question. At most one is open at a time.
    package var ask: (OutOfBandQuestion) -> Void
    /// The answer to the open question if there is one yet; does not wait where time passes meanwhile.
    package var answer: () -> String?
    /// The open question needs no answer any more: it was answered, the device has its input, or the session is over.
    package var withdraw: () -> Void

    /// Nobody, with nothing.
    package static var unattended: OutOfBandDesk {
        OutOfBandDesk(
            staticValue: { (_) throws(ExecutionContext.KeyError) in nil },
            publicKey: { (_) throws(ExecutionContext.KeyError) in nil },
            isAttended: false,
            ask: { _ in },
            answer: { nil },
            withdraw: {}
        )
    }

    /// A desk of those parts.
    package init(
        staticValue: @escaping (ProvisioningOrder) throws(ExecutionContext.KeyError) -> StaticOutOfBandValue?,
        publicKey: @escaping (ProvisioningOrder) throws(ExecutionContext.KeyError) -> P256PublicKey?,
        isAttended: Bool,
        ask: @escaping (OutOfBandQuestion) -> Void,
        answer: @escaping () -> String?,
        withdraw: @escaping () -> Void
    ) {
        self.staticValue = staticValue
        self.publicKey = publicKey
        self.isAttended = isAttended
        self.ask = ask
        self.answer = answer
        self.withdraw = withdraw
    }
}
