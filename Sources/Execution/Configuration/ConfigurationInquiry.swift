package import MeshCore
package import Planning

/// The meaning of a node's answer for an action.
package enum ConfigurationVerdict: Hashable, Sendable {
    /// The effect of the action holds. The action contains what the node's answer added to it.
    case holds(ConfigurationAction)
    /// Composition Data page 0 of the node.
    case composition(Composition)
    /// The Relay Retransmit state, which is read before it is written back.
    case relayRetransmit(TransmitParameters)
    /// The effect does not hold: the request did not arrive.
    case doesNotHold
    case refused(ConfigStatusCode)
    /// The node says that it does not have the feature.
    case featureNotSupported
    /// The node reports another value; words for people, after "the node reports", and the action that would have been
    /// answered so, where the value can be recorded.
    case differs(String, told: ConfigurationAction? = nil)
    /// The answer is a part of a list; the next part begins at this position.
    case continues(at: UInt16)
    /// The state of the node that the Get asked for.
    case report(NodeReport)
    /// The states that one sequence of Gets asked for.
    case reports(ReadBackAnswers)
    /// The parameters of the status that answers a question which belongs to no action.
    case told([UInt8])
    /// The node answers, but its answer cannot be one.
    case odd(OddAnswer)
}

/// One request, and how its answer is read.
package struct ConfigurationInquiry {
    /// The meaning of a payload for the request.
    struct Hearing {
        var verdict: ConfigurationVerdict
        /// The known way in which it departs from the specification, if it does and can still be read.
        var quirk: KnownQuirk?
    }

    private struct Reading {
        let opcode: Opcode
        let hearing: (ArraySlice<UInt8>) -> Hearing?

        /// The same, with verdicts that contain the parameters.
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
    /// The element that is asked, counted from the address that the request is made to.
    private(set) var element: UInt8 = 0
    /// Segments of the request and of the longest usual answer beyond the first of each.
    let extraSegments: Int
    /// Whether the request takes more than one segment.
    let isSegmented: Bool
    /// Whether shorter messages can ask the same. If so, the client gives the request up when the node refuses its
    /// segments.
    let canBeDivided: Bool
    /// After how many transmissions an odd answer counts if no better one has come before the next is due. A request
    /// for a change is not repeated, but read back.
    private(set) var oddLimit = 2
    private var readings: [Reading]
    /// The payload as it is sent at an instant, if it is not always the same.
    private var timedPayload: ((Instant) -> [UInt8])?
    /// The verdict for any other message of the node; nil if it has no meaning.
    var otherAnswer: ConfigurationVerdict?

    /// A request that is answered by the status that its type names.
    ///
    /// - Parameters:
    ///   - answerSize: octets of the longest usual answer, opcode included.
    ///   - verdict: the meaning of a status that concerns the same thing as the request.
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
                    return .odd(OddAnswer(.aboutElse, quirk: request.oddQuirk(of: status)))
                }
                return Hearing(verdict: verdict(status), quirk: request.quirk(of: status, read: parameters))
            } catch {
                return .odd(OddAnswer(.malformed(error)))
            }
        }
        readings = [reading]
    }

    /// A request to a model other than the Configuration Server. It and its answer fit one PDU each, and an AppKey
    /// secures them.
    ///
    /// - Parameter verdict: the meaning of a status that can be the answer.
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
    /// - Parameter check: throws the defect of a status that concerns the same thing as the request.
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

    /// A message to any model; its verdict is ``ConfigurationVerdict/told(_:)``.
    init(_ request: OperatingRequest) {
        payload = request.payload
        if request.delayEnd != nil { timedPayload = { request.payload(at: $0) } }
        applicationKey = request.key
        canBeDivided = false
        isSegmented = OutgoingMessage.pduCount(payloadSize: payload.count) > 1
        extraSegments = OutgoingMessage.pduCount(payloadSize: payload.count) - 1
        let reading = Reading(opcode: request.answer) { parameters in
            request.isAnswered(by: parameters) ? Hearing(verdict: .told(Array(parameters))) : nil
        }
        readings = [reading]
    }

    /// A message about a state of a model above the foundation, under an AppKey.
    ///
    /// - Parameters:
    ///   - form: the state, whose status answers.
    ///   - element: the element with the model, counted from the primary one.
    ///   - verdict: the meaning of the parameters of a status of this state.
    init(
        _ payload: [UInt8],
        about form: ModelStateForm,
        on element: UInt8,
        under key: AppKeyIndex,
        verdict: @escaping ([UInt8]) -> ConfigurationVerdict
    ) {
        self.payload = payload
        self.element = element
        applicationKey = key
        canBeDivided = false
        isSegmented = OutgoingMessage.pduCount(payloadSize: payload.count) > 1
        extraSegments = OutgoingMessage.pduCount(payloadSize: payload.count) - 1
        let reading = Reading(opcode: form.statusOpcode) { parameters in
            let parameters = Array(parameters)
            return form.instance.match(parameters) ? Hearing(verdict: verdict(parameters)) : nil
        }
        readings = [reading]
    }

    /// The payload of a transmission at an instant.
    func payload(at now: Instant) -> [UInt8] { timedPayload?(now) ?? payload }

    /// How messages of this inquiry to and from a node are secured.
    func security(of node: UnicastAddress) -> MessageSecurity {
        applicationKey.map { .application($0) } ?? .device(node: node)
    }

    func mapped(_ transform: @escaping (ConfigurationVerdict) -> ConfigurationVerdict) -> ConfigurationInquiry {
        var inquiry = self
        inquiry.readings = readings.map { reading in
            Reading(opcode: reading.opcode) { parameters in
                reading.hearing(parameters).map { Hearing(verdict: transform($0.verdict), quirk: $0.quirk) }
            }
        }
        return inquiry
    }

    /// The same inquiry, which also accepts the answers of another. A late status of the first request settles a
    /// read-back as well.
    func alsoReading(_ other: ConfigurationInquiry) -> ConfigurationInquiry {
        var inquiry = self
        inquiry.readings += other.readings.filter { reading in !readings.contains { $0.opcode == reading.opcode } }
        return inquiry
    }

    /// The same inquiry, whose first odd answer counts, because a read-back follows.
    func settledByOddAnswer() -> ConfigurationInquiry {
        var inquiry = self
        inquiry.oddLimit = 1
        return inquiry
    }

    /// The meaning of an access payload from the node; nil if it does not answer the request.
    package func verdict(on payload: [UInt8]) -> ConfigurationVerdict? {
        guard let verdict = hearing(of: payload)?.verdict else { return nil }
        if case .odd = verdict { return nil }
        return verdict
    }

    /// The meaning of an access payload from the node, even if it is odd; nil if it is not one of the answering
    /// messages.
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

extension ConfigurationInquiry {
    /// The Get of a page of a node's Composition Data, whose verdict is page 0, or that the action holds.
    static func composition(_ page: UInt8, for action: ConfigurationAction) -> ConfigurationInquiry {
        // Enough for a page of a node with four elements; the client waits for larger answers, too.
        ConfigurationInquiry(ConfigCompositionDataGet(page: page), answerSize: 100) { status in
            do throws(DecodeError) {
                guard let composition = try status.composition() else { return .holds(action) }
                return .composition(composition.withVendorModelsInOrder ?? composition)
            } catch {
                return .odd(OddAnswer(.malformed(error)))
            }
        }
    }
}

extension ConfigurationInquiry.Hearing {
    fileprivate static func odd(_ answer: OddAnswer) -> ConfigurationInquiry.Hearing {
        ConfigurationInquiry.Hearing(verdict: .odd(answer))
    }
}

extension ConfigurationInquiry: CustomReflectable {
    /// Shows no children, because the payload may contain keys.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
