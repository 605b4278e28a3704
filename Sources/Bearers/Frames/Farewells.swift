import MeshCore

/// Connections of a ``FrameServer`` that are over but must still deliver their last frame. Closing a socket with unread
/// data would throw that frame away.
struct Farewells {
    private struct Farewell {
        var frames: FrameConnection
        let until: Instant
    }

    private var farewells: [Farewell] = []

    private static let patience = Duration.seconds(2)

    /// Announces that nothing more will be sent on a connection, and waits for the client to close it.
    ///
    /// - Parameter most: how many connections to wait for at once; the one that waits longest makes room.
    mutating func bid(_ frames: FrameConnection, most: Int, at now: Instant) {
        var frames = frames
        frames.close()
        if farewells.count >= most { farewells.removeFirst() }
        if !frames.isWriting { frames.descriptor.endWriting() }
        farewells.append(Farewell(frames: frames, until: now.advanced(by: Self.patience)))
    }

    /// The descriptors that the next wait is for.
    var watched: [Watched] {
        farewells.map { Watched(number: $0.frames.descriptor.number, writes: $0.frames.isWriting) }
    }

    /// When to give up the first of them.
    var nextDeadline: Instant? { farewells.map(\.until).min() }

    /// Writes what is left, throws away what arrives, and closes connections that are done or take too long.
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
