/// The cost of messages on air: requests and statuses, and the network PDUs that carry them if nothing is lost.
package struct MessageCost: Hashable, Sendable {
    /// Configuration requests, each answered by one status.
    package var messages: Int
    /// Network PDUs from client to nodes: request segments and acknowledgements of segmented statuses.
    package var pdusToNode: Int
    /// Network PDUs from nodes to client: status segments and acknowledgements of segmented requests.
    package var pdusFromNode: Int

    package init(messages: Int, pdusToNode: Int, pdusFromNode: Int) {
        self.messages = messages
        self.pdusToNode = pdusToNode
        self.pdusFromNode = pdusFromNode
    }

    /// Nothing is sent.
    package static let zero = MessageCost(messages: 0, pdusToNode: 0, pdusFromNode: 0)

    /// Network PDUs in both directions.
    package var pdus: Int { pdusToNode + pdusFromNode }

    /// One request and its status.
    ///
    /// An access payload of up to 11 octets is sent unsegmented with a 4-octet TransMIC. A longer one is sent in
    /// segments of 12 octets, TransMIC included, and acknowledged by one PDU (Mesh Protocol 3.5.2, 3.6.4).
    ///
    /// - Parameters:
    ///   - request: octets of the request, opcode included.
    ///   - status: octets of the status, opcode included.
    package static func exchange(request: Int, status: Int) -> MessageCost {
        let up = segments(request)
        let down = segments(status)
        return MessageCost(
            messages: 1,
            pdusToNode: up + (down > 1 ? 1 : 0),
            pdusFromNode: down + (up > 1 ? 1 : 0)
        )
    }

    private static func segments(_ length: Int) -> Int {
        length <= 11 ? 1 : (length + 4 + 11) / 12
    }

    package static func + (left: MessageCost, right: MessageCost) -> MessageCost {
        MessageCost(
            messages: left.messages + right.messages,
            pdusToNode: left.pdusToNode + right.pdusToNode,
            pdusFromNode: left.pdusFromNode + right.pdusFromNode
        )
    }

    package static func += (left: inout MessageCost, right: MessageCost) {
        left = left + right
    }
}
