import MeshCore
import TestSupport
import Testing

@Suite("SARParameters")
struct SARParametersTests {
    @Test("The default states are the standard parameters")
    func defaults() {
        #expect(SARParameters(transmitter: .standard, receiver: .standard) == .standard)
    }

    @Test(
        "Every field of the states has its unit",
        arguments: [
            (
                "10325406", "5f4302",
                SARParameters(
                    segmentInterval: .milliseconds(10),
                    unicastRetransmissions: 1,
                    unicastRetransmissionsWithoutProgress: 2,
                    unicastRetransmissionInterval: .milliseconds(100),
                    unicastRetransmissionIncrement: .milliseconds(125),
                    multicastRetransmissions: 5,
                    multicastRetransmissionInterval: .milliseconds(175),
                    segmentsThreshold: 31,
                    acknowledgmentDelay: .segmentIntervals(tenths: 35),
                    acknowledgmentRetransmissions: 2,
                    receiverSegmentInterval: .milliseconds(50),
                    discardTimeout: .seconds(20)
                )
            ),
            (
                "ffffff0f", "ffff03",
                SARParameters(
                    segmentInterval: .milliseconds(160),
                    unicastRetransmissions: 15,
                    unicastRetransmissionsWithoutProgress: 15,
                    unicastRetransmissionInterval: .milliseconds(400),
                    unicastRetransmissionIncrement: .milliseconds(400),
                    multicastRetransmissions: 15,
                    multicastRetransmissionInterval: .milliseconds(400),
                    segmentsThreshold: 31,
                    acknowledgmentDelay: .segmentIntervals(tenths: 85),
                    acknowledgmentRetransmissions: 3,
                    receiverSegmentInterval: .milliseconds(160),
                    discardTimeout: .seconds(80)
                )
            ),
        ]
    )
    func fields(transmitter: String, receiver: String, expected: SARParameters) throws {
        let parameters = SARParameters(
            transmitter: try SARTransmitterSet(parameters: hex(transmitter)[...]).state,
            receiver: try SARReceiverSet(parameters: hex(receiver)[...]).state
        )
        #expect(parameters == expected)
    }
}
