import MeshCore
import Simulator
import Testing

/// Requests to one server and the state they leave.
struct ServerBench {
    var server = ConfigurationServer()
    var state: NodeConfigurationState
    var netKeyIndex = NetKeyIndex.primary

    init(_ node: Node = TestNetwork.node(0), limits: NodeLimits = NodeLimits()) {
        server.limits = limits
        state = NodeConfigurationState(of: node, in: TestNetwork.network([node]))
    }

    /// The answer to a request, decoded; nil if there is none.
    mutating func ask<Request: AcknowledgedMessage>(
        _ request: Request,
        refusal: ConfigStatusCode? = nil
    ) throws -> Request.Status? {
        let answer = server.respond(
            to: request.encoded,
            through: netKeyIndex,
            state: &state,
            refusal: refusal
        )
        guard let answer else { return nil }
        var reader = ByteReader(answer)
        #expect(try Opcode(decoding: &reader) == Request.Status.opcode)
        return try Request.Status(parameters: reader.readRest())
    }
}

/// Addresses, keys and models of the node that requests are about.
extension ServerBench {
    static let element0 = TestNetwork.address(0x0010)
    static let element1 = TestNetwork.address(0x0011)
    static let stranger = TestNetwork.address(0x0012)
    static let one = TestNetwork.netKey(1)
    static let app0 = TestNetwork.appKey(0)
    static let app1 = TestNetwork.appKey(1)
    static let group: UInt16 = 0xC000
}
