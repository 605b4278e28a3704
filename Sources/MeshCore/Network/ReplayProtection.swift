/// The replay protection list: for every source the highest sequence number accepted (Mesh Protocol 3.9.8).
///
/// For a segmented message it is the sequence number of SeqAuth, recorded when the message is complete. A list read
/// from a database makes replays fail across restarts: what was the highest number counts for every message then.
package struct ReplayProtection: Hashable, Sendable {
    /// What is known of one source.
    package struct Entry: Hashable, Sendable {
        /// The source.
        package var source: UnicastAddress
        /// The IV index of the highest number.
        package var ivIndex: UInt32
        /// The highest number, 24 bits.
        package var sequence: UInt32

        package init(source: UnicastAddress, ivIndex: UInt32, sequence: UInt32) {
            self.source = source
            self.ivIndex = ivIndex
            self.sequence = sequence
        }

        fileprivate var order: UInt64 { UInt64(ivIndex) << 24 | UInt64(sequence) }
    }

    /// What happens to a message.
    package enum Verdict: Sendable {
        /// It is newer than everything from its source.
        case accepted
        /// It, or a later one, was accepted before.
        case replayed
        /// Its source is new and the list is full.
        case full
    }

    private struct Record: Hashable {
        var highest: Entry
        /// SeqAuth of the last segmented message completed; never above ``highest``.
        var segmented: UInt64?
    }

    /// The number of sources it can hold.
    package let capacity: Int
    private var list: [UnicastAddress: Record] = [:]

    /// A list for `capacity` sources, by default every unicast address there is, that starts from stored entries; of
    /// several for one source the highest counts, and what exceeds the capacity is left out.
    package init(_ entries: some Sequence<Entry> = [Entry](), capacity: Int = 0x7FFF) {
        self.capacity = capacity
        for entry in entries {
            record(entry.source, ivIndex: entry.ivIndex, sequence: entry.sequence, isSegmented: true)
        }
    }

    /// All entries sorted by source.
    package var entries: [Entry] {
        list.values.map(\.highest).sorted { $0.source < $1.source }
    }

    /// The entry of one source.
    package subscript(source: UnicastAddress) -> Entry? { list[source]?.highest }

    /// Whether an unsegmented message would be accepted.
    package func verdict(_ source: UnicastAddress, ivIndex: UInt32, sequence: UInt32) -> Verdict {
        guard let known = list[source] else { return list.count < capacity ? .accepted : .full }
        let entry = Entry(source: source, ivIndex: ivIndex, sequence: sequence)
        return entry.order > known.highest.order ? .accepted : .replayed
    }

    /// Whether a segment would be accepted as the first to arrive of its message.
    ///
    /// Its message must be newer than every segmented one, and the segment itself newer than everything: were the
    /// message compared with everything, an acknowledgment that overtakes a lost segment would shut the message out for
    /// good.
    ///
    /// - Parameter first: the sequence number of SeqAuth.
    package func verdict(
        _ source: UnicastAddress,
        ivIndex: UInt32,
        segment sequence: UInt32,
        first: UInt32
    ) -> Verdict {
        let verdict = verdict(source, ivIndex: ivIndex, sequence: sequence)
        guard verdict == .accepted, let segmented = list[source]?.segmented else { return verdict }
        return Entry(source: source, ivIndex: ivIndex, sequence: first).order > segmented ? .accepted : .replayed
    }

    /// Records an accepted message; a lower number than the known one changes nothing.
    ///
    /// - Parameter isSegmented: whether `sequence` is that of the SeqAuth of a message completed.
    package mutating func record(
        _ source: UnicastAddress,
        ivIndex: UInt32,
        sequence: UInt32,
        isSegmented: Bool = false
    ) {
        let entry = Entry(source: source, ivIndex: ivIndex, sequence: sequence)
        if list[source] == nil, list.count >= capacity { return }
        var record = list[source] ?? Record(highest: entry)
        if entry.order > record.highest.order { record.highest = entry }
        if isSegmented { record.segmented = max(record.segmented ?? 0, entry.order) }
        list[source] = record
    }

    /// Forgets a source, such as a node that was removed and whose address is given out again.
    package mutating func remove(_ source: UnicastAddress) {
        list[source] = nil
    }
}
