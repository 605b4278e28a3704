internal import MeshCore

/// What some nodes are known to send with, on the average; of others it is taken to be what stock firmware comes with.
struct MeanRepetition {
    private var nodes = 0.0
    private var transmissions = 0.0
    private var intervals = 0.0

    /// Takes a node in.
    ///
    /// - Parameter transmit: nil if it is not known.
    mutating func add(_ transmit: TransmitParameters?) {
        nodes += 1
        transmissions += transmit.map { Double($0.transmissions) } ?? Repetition.stock.count
        intervals += transmit.map { Double($0.intervalMilliseconds) / 1_000 } ?? Repetition.stock.interval
    }

    /// The mean; that of stock firmware if there are no nodes.
    var mean: Repetition {
        nodes > 0 ? Repetition(count: transmissions / nodes, interval: intervals / nodes) : .stock
    }
}
