import DefinitionModel
import MeshCore

/// States of the foundation models other than features.
extension DocumentDecoder {
    /// `{ building: off }`, with an entry for each subnet.
    mutating func decodeNodeIdentity(_ field: MappingEntry, into settings: inout NodeSettings) {
        let isPrivate = field.keyword == .privateNodeIdentity
        for entry in entries(field.value, "a mapping of subnets") ?? [] {
            guard let subnet = scalar(entry.key, "the name of a subnet", Words.name) else { continue }
            guard let isOn = scalar(entry.value, "off", Words.boolean) else { continue }
            guard !isOn.value else {
                report(
                    "a node advertises its identity for one minute only, so it cannot stay on",
                    at: entry.value,
                    hint: "write off, or leave the subnet out"
                )
                continue
            }
            settings.states.append(
                Located(
                    isPrivate ? .privateNodeIdentityOff(subnet: subnet) : .nodeIdentityOff(subnet: subnet),
                    at: isOn.location
                )
            )
        }
    }

    /// `on`, `off`, or `{ state: on, random_update_interval: 10s }`.
    mutating func decodePrivateBeacon(_ field: MappingEntry) -> Located<StateDefinition>? {
        guard tree.nodes[field.value].kind == .mapping else {
            guard let isOn = scalar(field.value, "on, off or a mapping", Words.boolean) else { return nil }
            return Located(.privateBeacon(PrivateBeaconState(isEnabled: isOn.value)), at: isOn.location)
        }
        guard let fields = fields(field.value, .privateBeacon, "`private_beacon`", blamed: field.key) else {
            return nil
        }
        var isOn: Located<Bool>?
        var interval: Located<UInt8>?
        for field in fields {
            switch field.keyword {
            case .state: isOn = scalar(field.value, "on or off", Words.boolean)
            case .randomUpdateInterval:
                interval = scalar(field.value, "an interval", Durations.randomUpdateInterval)
                if interval == nil { return nil }
            default: break
            }
        }
        guard let isOn else { return nil }
        let state = PrivateBeaconState(isEnabled: isOn.value, randomUpdateIntervalSteps: interval?.value)
        return Located(.privateBeacon(state), at: location(field.key))
    }

    /// The SAR Transmitter state. Omitted parts get the value of the specification (Mesh Protocol 1.1, 4.2.48).
    mutating func decodeSARTransmitter(_ field: MappingEntry) -> Located<StateDefinition>? {
        guard let fields = fields(field.value, .sarTransmitter, "`sar_transmitter`", blamed: field.key) else {
            return nil
        }
        var state = SARTransmitterState.standard
        for field in fields {
            let path: WritableKeyPath<SARTransmitterState, UInt8>
            let parse: (String) throws(ScalarProblem) -> UInt8
            switch field.keyword {
            case .segmentInterval: (path, parse) = (\.segmentIntervalStep, Self.segmentInterval)
            case .unicastRetransmissions: (path, parse) = (\.unicastRetransmissionsCount, Self.upTo15)
            case .unicastRetransmissionsWithoutProgress:
                (path, parse) = (\.unicastRetransmissionsWithoutProgressCount, Self.upTo15)
            case .unicastRetransmissionsInterval:
                (path, parse) = (\.unicastRetransmissionsIntervalStep, Self.retransmissionsInterval)
            case .unicastRetransmissionsIntervalIncrement:
                (path, parse) = (\.unicastRetransmissionsIntervalIncrement, Self.retransmissionsInterval)
            case .multicastRetransmissions: (path, parse) = (\.multicastRetransmissionsCount, Self.upTo15)
            case .multicastRetransmissionsInterval:
                (path, parse) = (\.multicastRetransmissionsIntervalStep, Self.retransmissionsInterval)
            default: continue
            }
            guard let value = scalar(field.value, "a value of the SAR Transmitter state", parse) else { return nil }
            state[keyPath: path] = value.value
        }
        return Located(.sarTransmitter(state), at: location(field.key))
    }

    /// The SAR Receiver state. Omitted parts get the value of the specification (Mesh Protocol 1.1, 4.2.49).
    mutating func decodeSARReceiver(_ field: MappingEntry) -> Located<StateDefinition>? {
        guard let fields = fields(field.value, .sarReceiver, "`sar_receiver`", blamed: field.key) else { return nil }
        var state = SARReceiverState.standard
        for field in fields {
            let path: WritableKeyPath<SARReceiverState, UInt8>
            let parse: (String) throws(ScalarProblem) -> UInt8
            switch field.keyword {
            case .segmentsThreshold: (path, parse) = (\.segmentsThreshold, Self.upTo31)
            case .acknowledgmentDelayIncrement: (path, parse) = (\.acknowledgmentDelayIncrement, Self.upTo7)
            case .acknowledgmentRetransmissions: (path, parse) = (\.acknowledgmentRetransmissionsCount, Self.upTo3)
            case .receiverSegmentInterval: (path, parse) = (\.receiverSegmentIntervalStep, Self.segmentInterval)
            case .discardTimeout: (path, parse) = (\.discardTimeout, Self.discardTimeout)
            default: continue
            }
            guard let value = scalar(field.value, "a value of the SAR Receiver state", parse) else { return nil }
            state[keyPath: path] = value.value
        }
        return Located(.sarReceiver(state), at: location(field.key))
    }

    private static func upTo15(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 0...15, "a number of retransmissions"))
    }

    private static func upTo31(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 0...31, "a number of segments"))
    }

    private static func upTo7(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 0...7, "a number of segment intervals"))
    }

    private static func upTo3(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 0...3, "a number of retransmissions"))
    }

    private static func segmentInterval(_ text: String) throws(ScalarProblem) -> UInt8 {
        try Durations.interval(text, step: 10, count: 16)
    }

    private static func retransmissionsInterval(_ text: String) throws(ScalarProblem) -> UInt8 {
        try Durations.interval(text, step: 25, count: 16)
    }

    private static func discardTimeout(_ text: String) throws(ScalarProblem) -> UInt8 {
        try Durations.interval(text, step: 5000, count: 16)
    }
}
