extension SARParameters {
    /// The parameters that the SAR Transmitter and SAR Receiver states of a node stand for (Mesh Protocol 1.1, 4.2.48
    /// and 4.2.49).
    ///
    /// The segment intervals are step + 1 times 10 ms, those between retransmissions step + 1 times 25 ms. The
    /// acknowledgment delay is increment + 1.5 segment intervals, the discard timeout value + 1 times 5 s.
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
