extension SARParameters {
    /// What the SAR Transmitter and SAR Receiver states of a node mean (Mesh Protocol 1.1, 4.2.48 and 4.2.49).
    ///
    /// The segment intervals are 10 ms times the step and one more, those between retransmissions 25 ms; the
    /// acknowledgment delay is the increment and 1.5 segment intervals, the discard timeout 5 s times the value and one
    /// more.
    package init(transmitter: SARTransmitterState, receiver: SARReceiverState) {
        func interval(_ step: UInt8, unit: Int) -> Duration { .milliseconds((Int(step) + 1) * unit) }
        self.init(
            segmentInterval: interval(transmitter.segmentIntervalStep, unit: 10),
            unicastRetransmissions: Int(transmitter.unicastRetransmissionsCount),
            unicastRetransmissionsWithoutProgress: Int(transmitter.unicastRetransmissionsWithoutProgressCount),
            unicastRetransmissionInterval: interval(transmitter.unicastRetransmissionsIntervalStep, unit: 25),
            unicastRetransmissionIncrement: interval(transmitter.unicastRetransmissionsIntervalIncrement, unit: 25),
            multicastRetransmissions: Int(transmitter.multicastRetransmissionsCount),
            multicastRetransmissionInterval: interval(transmitter.multicastRetransmissionsIntervalStep, unit: 25),
            segmentsThreshold: Int(receiver.segmentsThreshold),
            acknowledgmentDelay: .segmentIntervals(tenths: Int(receiver.acknowledgmentDelayIncrement) * 10 + 15),
            acknowledgmentRetransmissions: Int(receiver.acknowledgmentRetransmissionsCount),
            receiverSegmentInterval: interval(receiver.receiverSegmentIntervalStep, unit: 10),
            discardTimeout: .seconds((Int(receiver.discardTimeout) + 1) * 5)
        )
    }
}
