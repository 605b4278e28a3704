internal import MeshCore

/// The text file `<database>.sequence`: a first line, then `address IV-index limit` for every source, the address in
/// hexadecimal.
struct SequenceNumberWitness: Hashable {
    private static let firstLine: Substring = "meshplan sequence numbers 1"

    /// What is reserved, by source.
    var reservations: [UnicastAddress: DurableSequenceNumbers.Reservation] = [:]
    /// Whether there is a file that does not say what it should.
    var isDamaged = false

    /// Reads the file; a missing one says nothing.
    init(at path: String) throws(StoreError) {
        guard try FileStatus.of(path) != nil else { return }
        let bytes = try AtomicFile.read(path, limit: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self), let found = SequenceNumberWitness.parse(text) else {
            isDamaged = true
            return
        }
        reservations = found
    }

    private static func parse(_ text: String) -> [UnicastAddress: DurableSequenceNumbers.Reservation]? {
        // The last line must have its end: a file cut off in a number must not pass.
        guard text.hasSuffix("\n") else { return nil }
        let lines = text.split(separator: "\n")
        guard lines.first == firstLine else { return nil }
        var reservations: [UnicastAddress: DurableSequenceNumbers.Reservation] = [:]
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            guard words.count == 3,
                let address = UInt16(words[0], radix: 16).flatMap(UnicastAddress.init(rawValue:)),
                let ivIndex = UInt32(words[1]),
                let limit = UInt32(words[2]), limit <= DurableSequenceNumbers.end
            else { return nil }
            reservations[address] = DurableSequenceNumbers.Reservation(ivIndex: ivIndex, limit: limit)
        }
        return reservations
    }

    /// The file's octets.
    var encoded: [UInt8] {
        let lines = reservations.sorted { $0.key < $1.key }.map { source, reservation in
            "\(source.rawValue.hexadecimal) \(reservation.ivIndex) \(reservation.limit)\n"
        }
        return Array("\(SequenceNumberWitness.firstLine)\n\(lines.joined())".utf8)
    }
}
