package import MeshCore
package import Planning

/// A question to a person while a device is being provisioned.
package enum OutOfBandQuestion: Hashable, Sendable {
    /// Which value the device outputs, of at most this many digits or characters.
    case output(device: String, OutputAction, size: UInt8)
    /// Asks the person to enter this value into the device; the device reports when that is done.
    case input(device: String, InputAction, OutOfBandValue)
}

/// The source of what is not sent over the radio: files with secrets, and a person who sees the devices.
package struct OutOfBandPrompter {
    /// The static value of a device; nil if there is none. Throws ``ExecutionContext/KeyError`` if it is declared and
    /// cannot be read.
    package var staticValue: (ProvisioningOrder) throws(ExecutionContext.KeyError) -> StaticOutOfBandValue?
    /// The public key of a device that was read out of band; nil if there is none. Throws ``ExecutionContext/KeyError``
    /// if it is declared and cannot be read.
    package var publicKey: (ProvisioningOrder) throws(ExecutionContext.KeyError) -> P256PublicKey?
    /// Whether a person can look at devices and type. If not, output and input are not chosen.
    package var isAttended: Bool
    /// Shows a question. At most one is open at a time.
    package var ask: (OutOfBandQuestion) -> Void
    /// The answer to the open question, if there is one yet. It does not wait if time passes otherwise.
    package var answer: () -> String?
    /// The open question no longer needs an answer: it was answered, the device has its input, or the session is over.
    package var withdraw: () -> Void

    /// A prompter without a person and without secrets.
    package static var unattended: OutOfBandPrompter {
        OutOfBandPrompter(
            staticValue: { (_) throws(ExecutionContext.KeyError) in nil },
            publicKey: { (_) throws(ExecutionContext.KeyError) in nil },
            isAttended: false,
            ask: { _ in },
            answer: { nil },
            withdraw: {}
        )
    }

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
