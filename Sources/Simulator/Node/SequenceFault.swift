package import MeshCore

/// How a node falls short of Opcodes Aggregator Sequences that it should take (Mesh Protocol 1.1).
package enum SequenceFault: Hashable, Sendable {
    /// It does not answer them.
    case unanswered
    /// It handles no item and tells that status.
    case refused(OpcodesAggregatorStatusCode)
    /// Its status has room for so many octets, opcode included.
    case room(Int)
    /// It names another element than the one it was asked about.
    case otherElement(UnicastAddress)
    /// The answer at that place is left empty.
    case emptyItem(Int)

    /// What is sent in place of a status; nil if nothing is.
    func distorted(_ payload: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(payload)
        guard (try? Opcode(decoding: &reader)) == OpcodesAggregatorStatus.opcode,
            var status = try? OpcodesAggregatorStatus(parameters: reader.readRest())
        else { return payload }
        switch self {
        case .unanswered: return nil
        case .refused(let code):
            status.status = code
            status.items = []
        case .room(let size):
            while status.encoded.count > size, !status.items.isEmpty {
                status.status = .responseOverflow
                status.items.removeLast()
            }
        case .otherElement(let address): status.elementAddress = address
        case .emptyItem(let place): if status.items.indices.contains(place) { status.items[place] = [] }
        }
        return status.encoded
    }
}
