import Catalogue
package import MeshCore

/// The Get of a state that is about to be changed for a moment, or the Set that restores it (Mesh Model 3 to 6).
package struct HeldStateRequest: Hashable, Sendable {
    /// The state, with the value from before once it is known.
    package var state: HeldState
    package var key: AppKeyIndex
    package var readingKey: AppKeyIndex
    /// The transaction identifier of the Set. It is chosen when the Set is made.
    package var transaction: UInt8

    package init(_ state: HeldState, key: AppKeyIndex, readingKey: AppKeyIndex, transaction: UInt8 = 0) {
        self.state = state
        self.key = key
        self.readingKey = readingKey
        self.transaction = transaction
    }

    /// What the catalogue knows of the state.
    private var description: StateDescription? {
        StateCatalogue.states(reportedBy: state.form.statusOpcode).first { $0.name == state.form.name && $0.isInScenes }
    }

    /// The value from before: where a transition was running, the one that it would have ended with.
    private var value: FieldValues? {
        guard let description, let status = try? description.statusMessage.decode(state.status) else { return nil }
        return description.target(in: status) ?? description.value(in: status)
    }

    /// The Set to the value from before, without a transition; nil if the status has no such value.
    package var setPayload: [UInt8]? {
        guard let description, let value, let message = description.setMessage,
            let parameters = try? description.setParameters(
                description.defaults.merging(value),
                transaction: transaction,
                transition: description.hasTransition ? 0 : nil
            )
        else { return nil }
        return message.opcode.encoded + parameters
    }

    /// Whether a status shows the value from before.
    package func isRestored(in status: [UInt8]) -> Bool {
        guard let description, let value, let reported = try? description.statusMessage.decode(status) else {
            return false
        }
        return description.value(in: reported) == value
    }

    /// The cost of the Get and of its status.
    var readingCost: MessageCost {
        .exchange(request: state.form.getPayload.count, status: Self.usualStatus)
    }

    /// The cost of the Set and of its status.
    var restoringCost: MessageCost { .exchange(request: Self.usualSet, status: Self.usualStatus) }

    /// The longest status of such a state without a running transition has an opcode of two octets and three numbers.
    private static let usualStatus = 8
    /// Its Set has a transaction, a transition time and a delay besides.
    private static let usualSet = 11
}

/// A message of which some fields are known only when it is sent: the transaction, and the time.
struct MomentaryPayload {
    private let payload: [UInt8]

    /// A message: opcode and parameters.
    init(_ payload: [UInt8]) {
        self.payload = payload
    }

    /// The message as it is sent: a value of a light takes effect at once, and a time is that of the calendar.
    func octets(at now: Timestamp, transaction: UInt8) -> [UInt8] {
        var reader = ByteReader(payload)
        guard let opcode = try? Opcode(decoding: &reader), let message = MessageCatalogue.sig.message(opcode),
            message.field(named: "tid") != nil || message.field(named: "tai") != nil,
            var values = try? message.decode(Array(reader.readRest()))
        else { return payload }
        let names = Set(message.fields.map(\.name))
        if names.contains("tid") {
            values["tid"] = .integer(Int64(transaction))
            if names.isSuperset(of: ["transition", "delay"]) {
                values["transition"] = .integer(0)
                values["delay"] = .integer(0)
            }
        } else {
            values["tai"] = .integer(now.atomicSeconds)
        }
        return (try? message.encode(values)).map { opcode.encoded + $0 } ?? payload
    }
}

extension Timestamp {
    /// Seconds since 2000-01-01T00:00:00 in the atomic time TAI (Mesh Model 5.1.1.1).
    var atomicSeconds: Int64 { rawValue - 946_684_800 + Self.leapSeconds }

    /// How far TAI is ahead of UTC since 2017, in seconds.
    static let leapSeconds: Int64 = 37
}
