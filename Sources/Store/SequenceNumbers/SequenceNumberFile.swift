import MeshCore
import SystemLayer

/// The text file `<database>.sequence`: a first line, then `address IV-index limit` for every source, with the address
/// in hexadecimal, and `end`. If the numbers of a source are not known for certain, `restored` follows its limit. A
/// line `others restored` says the same of all sources without a line. A line `server IDENTIFIER TIMELINE` says which
/// history of a shared database this machine has last written to.
struct SequenceNumberFile: Hashable {
    private static let firstLine: Substring = "meshplan sequence numbers 1"
    private static let lastLine: Substring = "end"
    private static let restored: Substring = "restored"
    private static let others: Substring = "others"
    private static let server: Substring = "server"

    /// The reservations, by source.
    var reservations: [UnicastAddress: DurableSequenceNumbers.Reservation] = [:]
    /// The sources whose numbers may have been used without this file knowing it.
    var restored: Set<UnicastAddress> = []
    /// Whether that also holds for all sources that it does not list, because the file was once found damaged.
    var isIncomplete = false
    /// The history of a shared database that this machine has last written to.
    var origin: StoreOrigin?

    /// Reads the file. A missing file says nothing. A file with unexpected contents is incomplete.
    init(at path: String) throws(StoreError) {
        guard try storing({ () throws(FileError) in try FileStatus.of(path) }) != nil else { return }
        let bytes = try storing { () throws(FileError) in
            try Files.readRegular(path, limit: 1 << 20, isSecret: false)
        }
        guard let text = String(validating: bytes, as: UTF8.self), parse(text) else {
            (reservations, restored, isIncomplete) = ([:], [], true)
            origin = nil
            return
        }
    }

    /// Replaces the file; when it returns, the new contents are on the disk.
    func write(to path: String) throws(StoreError) {
        try storing { () throws(FileError) in try AtomicFile.write(path, encoded) }
    }

    /// Reads the text; false if it is not whole.
    private mutating func parse(_ text: String) -> Bool {
        // The last line must have its line feed, or a file that was cut off within a number would pass.
        guard text.hasSuffix("\n") else { return false }
        var lines = text.split(separator: "\n")[...]
        guard lines.popFirst() == SequenceNumberFile.firstLine, lines.popLast() == SequenceNumberFile.lastLine
        else { return false }
        for line in lines {
            var words = line.split(separator: " ")
            let isRestored = words.last == SequenceNumberFile.restored
            if isRestored { words.removeLast() }
            if words == [SequenceNumberFile.others], isRestored {
                isIncomplete = true
                continue
            }
            if words.count == 3, words[0] == SequenceNumberFile.server, !isRestored {
                guard let system = UInt64(words[1]), let timeline = UInt32(words[2]) else { return false }
                origin = StoreOrigin(system: system, timeline: timeline)
                continue
            }
            guard words.count == 3,
                let address = UInt16(words[0], radix: 16).flatMap(UnicastAddress.init(rawValue:)),
                let ivIndex = UInt32(words[1]),
                let limit = UInt32(words[2]), limit <= DurableSequenceNumbers.end
            else { return false }
            reservations[address] = DurableSequenceNumbers.Reservation(ivIndex: ivIndex, limit: limit)
            if isRestored { restored.insert(address) }
        }
        return true
    }

    mutating func note(_ reservation: DurableSequenceNumbers.Reservation, of source: UnicastAddress) {
        reservations[source] = reservation
        if reservation.floor > 0 { restored.insert(source) }
        if let known = reservation.origin { origin = known }
    }

    var encoded: [UInt8] {
        var lines = [String(SequenceNumberFile.firstLine)]
        for (source, reservation) in reservations.sorted(by: { $0.key < $1.key }) {
            let mark = restored.contains(source) ? " \(SequenceNumberFile.restored)" : ""
            lines.append("\(source.rawValue.hexadecimal) \(reservation.ivIndex) \(reservation.limit)\(mark)")
        }
        if let origin { lines.append("\(SequenceNumberFile.server) \(origin.system) \(origin.timeline)") }
        if isIncomplete { lines.append("\(SequenceNumberFile.others) \(SequenceNumberFile.restored)") }
        lines.append(String(SequenceNumberFile.lastLine))
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}
