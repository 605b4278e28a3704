import MeshCore

extension SimulatedWorld {
    /// The sender of a PDU that is checked.
    enum Sender {
        case node(Int)
        case client(LinkIdentifier)
    }

    /// Checks a PDU at its origin.
    func check(_ reading: NetworkObserver.Reading, _ octets: [UInt8], by sender: Sender) {
        let pdu = reading.pdu
        let stream = reading.stream
        switch audit.observe(octets, sequence: pdu.sequence, of: stream) {
        case .repetition: return
        case .reuse:
            report(
                "sequence number \(pdu.sequence) of \(stream.source) under IV index \(stream.ivIndex) was used twice"
            )
        case .new:
            _ = recorder(.used(stream, pdu.sequence...pdu.sequence))
        }
        guard case .client = sender else { return }
        if let owner = owners[pdu.source.rawValue], nodes[owner].state.isProvisioned {
            report("the client uses \(pdu.source), an address of \(nodes[owner].state.name)")
        }
        if let owner = owners[pdu.destination.rawValue], nodes[owner].state.isProvisioned {
            if !nodes[owner].state.knows(reading.key), !isBridged(pdu, under: reading.key) {
                report("a PDU to \(nodes[owner].state.name) is secured with a NetKey that the node does not have")
            }
        }
    }
}
