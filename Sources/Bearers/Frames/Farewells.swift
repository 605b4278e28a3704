internal import MeshCore

/// Connections of a ``FrameServer`` that are over and still have to bring their last frame to the client: to close a
/// socket that holds something unread would throw that away.
struct Farewells {
    private struct Farewell {
        var frames: FrameConnection
        let until: Instant
    }

    private var farewells: [Farewell] = []

    private static let patience = Duration.seconds(2)

    /// Says that nothing more is sent on a connection, and waits for the client's end.
    ///
    /// - Parameter most: how many are waited for at once; the one that waits for longest makes room.
    mutating func bid(_ frames: FrameConnection, most: Int, at now: Instant) {
        var frames = frames
        frames.close()
        if farewells.count >= most { farewells.removeFirst() }
        if !frames.isWriting { frames.descriptor.endWriting() }
        farewells.append(Farewell(frames: frames, until: now.advanced(by: Self.patience)))
    }

    /// What is to be waited for at present.
    var watched: [Watched] {
        farewells.map { Watched(number: $0.frames.descriptor.number, writes: $0.frames.isWriting) }
    }

    /// When the first of them is given up.
    var nextDeadline: Instant? { farewells.map(\.until).min() }

    /// Writes what is left, throws away what comes, and closes those that are done or take too long.
    mutating func advance(_ ready: [Int32: Watched], at now: Instant, into buffer: inout [UInt8]) {
        for index in farewells.indices.reversed() {
            var isOver = farewells[index].until <= now
            if let state = ready[farewells[index].frames.descriptor.number] {
                if state.isWritable { isOver = isOver || farewells[index].frames.flush() != nil }
                if !farewells[index].frames.isWriting { farewells[index].frames.descriptor.endWriting() }
                if state.isReadable { isOver = isOver || farewells[index].frames.discard(into: &buffer) }
            }
            if isOver { farewells.remove(at: index) }
        }
    }
}
