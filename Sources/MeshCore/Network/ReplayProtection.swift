/// The replay protection list: the highest accepted sequence number of every source (Mesh Protocol 3.9.8).
///
/// For a segmented message that is the sequence number of SeqAuth, recorded when the message is complete. A list read
/// from a database also stops replays across restarts; its highest numbers then count for all kinds of messages.
package struct ReplayProtection: Hashable, Sendable {
    /// The record of one source.
    package struct Entry: Hashable, Sendable {
        package var source: UnicastAddress
        /// The IV index of the highest sequence number.
        package var ivIndex: UInt32
        /// The highest sequence number, 24 bits.
        package var sequence: UInt32

        package init(source: UnicastAddress, ivIndex: UInt32, sequence: UInt32) {
            self.source = source
            self.ivIndex = ivIndex
            self.sequence = sequence
        }

        fileprivate var order: UInt64 { UInt64(ivIndex) << 24 | UInt64(sequence) }
    }

    /// The decision about a message.
    package enum Verdict: Sendable {
        /// It is newer than all messages of its source.
        case accepted
        /// This message or a later one was accepted before.
        case replayed
        /// Its source is new and the list is full.
        case full
    }

    private struct Record: Hashable {
        var highest: Entry
        /// SeqAuth of the last completed segmented message; never above ``highest``.
        var segmented: UInt64?
    }

    /// The number of sources it can hold.
    package let capacity: Int
    private var list: [UnicastAddress: Record] = [:]

    /// A list with stored entries and room for `capacity` sources, by default for every unicast address. If a source
    /// has several entries, the highest counts. Entries beyond the capacity are left out.
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

    package subscript(source: UnicastAddress) -> Entry? { list[source]?.highest }

    /// Whether an unsegmented message would be accepted.
    package func verdict(_ source: UnicastAddress, ivIndex: UInt32, sequence: UInt32) -> Verdict {
        guard let known = list[source] else { return list.count < capacity ? .accepted : .full }
        let entry = Entry(source: source, ivIndex: ivIndex, sequence: sequence)
        return entry.order > known.highest.order ? .accepted : .replayed
    }

    /// Whether a segment would be accepted as the first one received of its message.
    ///
    /// The message must be newer than every segmented one, and the segment newer than everything. If the message itself
    /// had to be newer than everything, an acknowledgment that overtakes a lost segment would exclude the message for
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

    /// Records an accepted message. A number below the known one changes nothing.
    ///
    /// - Parameter isSegmented: whether `sequence` is that of the SeqAuth of a completed message.
    package mutating func record(
        _ source: UnicastAddress,
        ivIndex: UInt32,
        sequence: UInt32,
        isSegmented: Bool = false
    ) {
        let entry = Entry(source: source, ivIndex: ivIndex, sequence: sequence)
        guard let index = list.index(forKey: source) else {
            guard list.count < capacity else { return }
            list[source] = Record(highest: entry, segmented: isSegmented ? entry.order : nil)
            return
        }
        if entry.order > list.values[index].highest.order { list.values[index].highest = entry }
        if isSegmented { list.values[index].segmented = max(list.values[index].segmented ?? 0, entry.order) }
    }

    /// Forgets a source, such as a removed node whose address is assigned again.
    package mutating func remove(_ source: UnicastAddress) {
        list[source] = nil
    }
}
