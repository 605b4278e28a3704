import MeshCore
import TestSupport
import Testing

@Suite("Foundation messages of 1.1")
struct FoundationMessages11Tests {
    @Test("SAR states by their fields")
    func sarStates() throws {
        let transmitter = try SARTransmitterSet(parameters: hex("10 32 54 06")[...]).state
        #expect(transmitter.segmentIntervalStep == 0)
        #expect(transmitter.unicastRetransmissionsCount == 1)
        #expect(transmitter.unicastRetransmissionsWithoutProgressCount == 2)
        #expect(transmitter.unicastRetransmissionsIntervalStep == 3)
        #expect(transmitter.unicastRetransmissionsIntervalIncrement == 4)
        #expect(transmitter.multicastRetransmissionsCount == 5)
        #expect(transmitter.multicastRetransmissionsIntervalStep == 6)
        let receiver = try SARReceiverSet(parameters: hex("5f 43 02")[...]).state
        #expect(receiver.segmentsThreshold == 31)
        #expect(receiver.acknowledgmentDelayIncrement == 2)
        #expect(receiver.discardTimeout == 3)
        #expect(receiver.receiverSegmentIntervalStep == 4)
        #expect(receiver.acknowledgmentRetransmissionsCount == 2)
    }

    @Test("Values too large for their bits leave the other fields alone")
    func sarOverflow() throws {
        var state = SARTransmitterState.standard
        state.segmentIntervalStep = 0xFF
        let parameters = SARTransmitterSet(state: state).parameters
        #expect(parameters == hex("2f 72 21 09"))
    }

    @Test("Aggregated items of 127 and of 128 octets take one and two octets of length", arguments: [1, 127, 128, 300])
    func aggregatedItems(length: Int) throws {
        let item = [UInt8](repeating: 0x5A, count: length)
        let sequence = OpcodesAggregatorSequence(
            elementAddress: try #require(.init(rawValue: 1)),
            items: [item, [0x80, 0x09]]
        )
        #expect(sequence.parameters.count == 2 + OpcodesAggregatorSequence.size(ofItem: length) + 3)
        #expect(try OpcodesAggregatorSequence(parameters: sequence.parameters[...]) == sequence)
    }

    @Test("A length in two octets that needs only one, or reaches beyond the message, is refused")
    func aggregatedLengths() throws {
        #expect(throws: DecodeError.length(2)) { try OpcodesAggregatorSequence(parameters: hex("0112 0500 8009")[...]) }
        #expect(throws: DecodeError.self) { try OpcodesAggregatorSequence(parameters: hex("0112 06 8009")[...]) }
    }

    @Test("Keys inside aggregated requests do not show")
    func aggregatedKeys() throws {
        let key = hex("8040 2301 63964771734fbd76e3b40519d1d94a48")
        let sequence = OpcodesAggregatorSequence(elementAddress: try #require(.init(rawValue: 1)), items: [key])
        var dumped = ""
        dump(sequence, to: &dumped)
        for text in [dumped, "\(sequence)", String(reflecting: sequence)] {
            #expect(!text.contains("99, 150") && !text.contains("639647"))
        }
    }

    @Test("A status about something else answers nothing")
    func matching() throws {
        let request = LargeCompositionDataGet(page: 1, offset: 10)
        #expect(request.isAnswered(by: .init(page: 0, offset: 10, totalSize: 12, data: [1, 2])))
        #expect(!request.isAnswered(by: .init(page: 2, offset: 10, totalSize: 12, data: [1, 2])))
        #expect(!request.isAnswered(by: .init(page: 1, offset: 0, totalSize: 12, data: [1, 2])))
        let add = try BridgingTableAdd(parameters: hex("02 236145 aa0a bb0b")[...])
        #expect(add.isAnswered(by: try BridgingTableStatus(parameters: hex("00 02 236145 aa0a bb0b")[...])))
        #expect(!add.isAnswered(by: try BridgingTableStatus(parameters: hex("00 02 236145 aa0a bc0b")[...])))
        let get = try BridgedSubnetsGet(parameters: hex("3112 00")[...])
        #expect(get.filter.position == .first && get.filter.netKeyIndex.rawValue == 0x123)
        #expect(!get.isAnswered(by: try BridgedSubnetsList(parameters: hex("3212 00")[...])))
    }
}
