package import MeshCore
package import Planning

/// What a node's answer says about an action.
package enum ConfigurationVerdict: Hashable, Sendable {
    /// Its effect holds; where the node's answer filled in what the action left open, that is in it.
    case holds(ConfigurationAction)
    /// Composition Data page 0, as the node has it.
    case composition(Composition)
    /// The Relay Retransmit state, read before it is written back.
    case relayRetransmit(TransmitParameters)
    /// Its effect does not hold: the request has not arrived.
    case doesNotHold
    /// The node refuses.
    case refused(ConfigStatusCode)
    /// The node says that it does not have the feature.
    case featureNotSupported
    /// The node says that something else holds; words for people, after "the node reports".
    case differs(String)
    /// The answer is a part of a list; the next one begins there.
    case continues(at: UInt16)
    /// What the node has, as it was asked.
    case report(NodeReport)
    /// What it has of several things that it was asked for at once.
    case reports(ReadBackAnswers)
    /// The parameters of the status that answers a question which belongs to no action.
    case told([UInt8])
    /// The node answers, but with what cannot be the answer.
    case odd(OddAnswer)
}

/// One request and how its answer is understood.
package struct ConfigurationInquiry {
    /// What a payload says about the request.
    struct Hearing {
        /// Its verdict.
        var verdict: ConfigurationVerdict
        /// In which known way it departs from the specification, if it does and is understood all the same.
        var habit: KnownHabit?
    }

    private struct Reading {
        let opcode: Opcode
        let hearing: (ArraySlice<UInt8>) -> Hearing?

        /// The same, but what it is told are the parameters.
        var tellingParameters: Reading {
            Reading(opcode: opcode) { parameters in
                guard var heard = hearing(parameters) else { return nil }
                if case .told = heard.verdict { heard.verdict = .told(Array(parameters)) }
                return heard
            }
        }
    }

    /// The access payload to send. It may contain keys.
    package let payload: [UInt8]
    /// The AppKey that secures request and answer; nil for the DeviceKey of the node.
    let applicationKey: AppKeyIndex?
    /// Segments of the request and of the longest usual answer beyond the first of each.
    let extraSegments: Int
    /// Whether the request takes more than one segment.
    let isSegmented: Bool
    /// Whether the same can be asked in shorter messages: then the request is given up when the node refuses its segments.
    let canBeDivided: Bool
    /// After how many transmissions an odd answer counts, should no better one have come until the next is due. What asks for
    /// a change is not asked for again, but read back.
    private(set) var oddLimit = 2
    private var readings: [Reading]
    /// What anything else says that the node sends; nil if it says nothing.
    var otherAnswer: ConfigurationVerdict?

    /// A request that is answered by the status its type names.
    ///
    /// - Parameters:
    ///   - answerSize: octets of the longest usual answer, opcode included.
    ///   - verdict: what a status says that is about the same thing as the request.
    init<Request: ConfigurationRequest>(
        _ request: Request,
        answerSize: Int = 11,
        verdict: @escaping (Request.Status) -> ConfigurationVerdict
    ) {
        payload = request.encoded
        applicationKey = nil
        canBeDivided = false
        isSegmented = OutgoingMessage.pduCount(payloadSize: payload.count) > 1
        extraSegments =
            OutgoingMessage.pduCount(payloadSize: payload.count)
            + OutgoingMessage.pduCount(payloadSize: answerSize) - 2
        let reading = Reading(opcode: Request.Status.opcode) { parameters in
            do throws(DecodeError) {
                let status = try Request.Status(parameters: parameters)
                guard request.isAnswered(by: status) else {
                    return .odd(OddAnswer(.aboutElse, habit: request.oddHabit(of: status)))
                }
                return Hearing(verdict: verdict(status), habit: request.habit(of: status, read: parameters))
            } catch {
                return .odd(OddAnswer(.malformed(error)))
            }
        }
        readings = [reading]
    }

    /// A request to a model other than the Configuration Server: it and its answer fit one PDU each and are secured with
    /// an AppKey.
    ///
    /// - Parameter verdict: what a status says that can be the answer.
    init<Request: AcknowledgedMessage>(
        _ request: Request,
        under key: AppKeyIndex,
        verdict: @escaping (Request.Status) -> ConfigurationVerdict
    ) {
        payload = request.encoded
        applicationKey = key
        isSegmented = false
        canBeDivided = false
        extraSegments = 0
        let reading = Reading(opcode: Request.Status.opcode) { parameters in
            guard let status = try? Request.Status(parameters: parameters), request.isAnswered(by: status) else {
                return nil
            }
            return Hearing(verdict: verdict(status))
        }
        readings = [reading]
    }

    /// Gets to one element in one Opcodes Aggregator Sequence (Mesh Protocol 1.1); its verdict is
    /// ``ConfigurationVerdict/reports(_:)``.
    ///
    /// - Parameters:
    ///   - gets: under the DeviceKey of the node.
    ///   - element: the element that takes them.
    ///   - answerSize: octets of the status if the node is as recorded, opcode included.
    init(aggregating gets: [ConfigurationInquiry], on element: UnicastAddress, answerSize: Int) {
        payload = OpcodesAggregatorSequence(elementAddress: element, items: gets.map(\.payload)).encoded
        applicationKey = nil
        canBeDivided = true
        isSegmented = OutgoingMessage.pduCount(payloadSize: payload.count) > 1
        extraSegments =
            OutgoingMessage.pduCount(payloadSize: payload.count)
            + OutgoingMessage.pduCount(payloadSize: answerSize) - 2
        let reading = Reading(opcode: OpcodesAggregatorStatus.opcode) { parameters in
            ReadBackAnswers(parameters, to: gets, on: element).map { Hearing(verdict: .reports($0)) }
        }
        readings = [reading]
    }

    /// A request that belongs to no action; its verdict is ``ConfigurationVerdict/told(_:)``.
    ///
    /// - Parameter check: throws what is wrong with a status that is about the same thing as the request.
    init<Request: ConfigurationRequest>(
        asking request: Request,
        answerSize: Int = 11,
        _ check: @escaping (Request.Status) throws(DecodeError) -> Void
    ) {
        self.init(request, answerSize: answerSize) { status in
            do throws(DecodeError) {
                try check(status)
                return .told([])
            } catch {
                return .odd(OddAnswer(.malformed(error)))
            }
        }
        readings = readings.map(\.tellingParameters)
    }

    /// A request to a model other than the Configuration Server, under an AppKey; its verdict is
    /// ``ConfigurationVerdict/told(_:)``.
    init(asking request: some AcknowledgedMessage, under key: AppKeyIndex) {
        self.init(request, under: key) { _ in .told([]) }
        readings = readings.map(\.tellingParameters)
    }

    /// How messages of this inquiry to and from a node are secured.
    func security(of node: UnicastAddress) -> MessageSecurity {
        applicationKey.map { .application($0) } ?? .device(node: node)
    }

    /// The same inquiry with other verdicts.
    func mapped(_ transform: @escaping (ConfigurationVerdict) -> ConfigurationVerdict) -> ConfigurationInquiry {
        var inquiry = self
        inquiry.readings = readings.map { reading in
            Reading(opcode: reading.opcode) { parameters in
                reading.hearing(parameters).map { Hearing(verdict: transform($0.verdict), habit: $0.habit) }
            }
        }
        return inquiry
    }

    /// The same inquiry, which also takes the answers of another: a read-back is as well settled by the status that was
    /// awaited before and comes late.
    func alsoReading(_ other: ConfigurationInquiry) -> ConfigurationInquiry {
        var inquiry = self
        inquiry.readings += other.readings.filter { reading in !readings.contains { $0.opcode == reading.opcode } }
        return inquiry
    }

    /// The same inquiry, whose first odd answer counts: what became of it will be read back.
    func settledByOddAnswer() -> ConfigurationInquiry {
        var inquiry = self
        inquiry.oddLimit = 1
        return inquiry
    }

    /// What an access payload from the node says; nil if it does not answer the request.
    package func verdict(on payload: [UInt8]) -> ConfigurationVerdict? {
        guard let verdict = hearing(of: payload)?.verdict else { return nil }
        if case .odd = verdict { return nil }
        return verdict
    }

    /// What an access payload from the node says, odd answers included; nil if it is none of the messages that answer.
    func hearing(of payload: [UInt8]) -> Hearing? {
        var reader = ByteReader(payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return nil }
        let parameters = reader.readRest()
        var oddity: Hearing?
        for reading in readings where reading.opcode == opcode {
            guard var hearing = reading.hearing(parameters) else { continue }
            guard case .odd(var answer) = hearing.verdict else { return hearing }
            answer.payload = payload
            hearing.verdict = .odd(answer)
            oddity = oddity ?? hearing
        }
        if let otherAnswer { return Hearing(verdict: otherAnswer) }
        return oddity
    }
}

extension ConfigurationInquiry.Hearing {
    fileprivate static func odd(_ answer: OddAnswer) -> ConfigurationInquiry.Hearing {
        ConfigurationInquiry.Hearing(verdict: .odd(answer))
    }
}

extension ConfigurationInquiry: CustomReflectable {
    /// Shows no children, for the payload may contain keys.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
