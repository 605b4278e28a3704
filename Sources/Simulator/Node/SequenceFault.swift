package import MeshCore

/// How a node mishandles Opcodes Aggregator Sequences (Mesh Protocol 1.1).
package enum SequenceFault: Hashable, Sendable {
    case unanswered
    /// It handles no item and answers that status.
    case refused(OpcodesAggregatorStatusCode)
    /// Its status has room for only so many octets, opcode included.
    case room(Int)
    /// Its status names a different element from the request.
    case otherElement(UnicastAddress)
    /// Its answer to the item at that index is empty.
    case emptyItem(Int)

    /// What is sent instead of a status; nil for nothing.
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
        case .emptyItem(let index): if status.items.indices.contains(index) { status.items[index] = [] }
        }
        return status.encoded
    }
}
