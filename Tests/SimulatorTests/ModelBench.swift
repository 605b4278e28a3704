import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

/// A node with application models in a world, and a client that speaks to it in messages of the catalogue.
final class ModelBench {
    static let key = TestNetwork.appKey(0)
    static let room = TestNetwork.group(0xC000)
    /// Where the models publish.
    static let reports = TestNetwork.group(0xC100)

    let world: SimulatedWorld
    let client: TestClient
    let node: Node
    private var transaction: Int64 = 0
    private let records: Records

    private final class Records {
        var state = SimulatorState()
    }

    /// A world with one node, whose models are bound to the key and subscribe to the room.
    ///
    /// - Parameters:
    ///   - models: the models of each element.
    ///   - vendorModels: the vendor models that the world knows.
    ///   - change: what else is special about the node.
    ///   - state: what an earlier world left.
    init(
        _ models: [[UInt16]],
        state: SimulatorState = SimulatorState(),
        vendorModels: [VendorModel] = [],
        _ change: (inout Node) -> Void = { _ in }
    ) throws {
        var node = TestNetwork.node(1, proxy: .enabled)
        node.appKeys = [NodeKey(index: Self.key), NodeKey(index: TestNetwork.appKey(1))]
        node.elements = models.enumerated().map { index, models in
            let foundation: [UInt16] = index == 0 ? [0x0000] : []
            return Element(
                location: UInt16(index),
                models: (foundation + models).map { number in
                    Model(
                        identifier: .sig(number),
                        bindings: number == 0 ? [] : [Self.key],
                        subscriptions: number == 0 ? [] : [.group(Self.room)]
                    )
                }
            )
        }
        change(&node)
        self.node = node
        let network = TestNetwork.network([node])
        let records = Records()
        records.state = state
        self.records = records
        world = SimulatedWorld(network: network, seed: 1, state: state, vendorModels: vendorModels) {
            records.state.apply($0)
            return true
        }
        // A later client must not repeat sequence numbers.
        client = TestClient(
            SimulatedBearer(world),
            network: network,
            address: TestNetwork.address(UInt16(1 + state.used.count % 8))
        )
        try client.open()
        try client.configure(.addAddresses([Self.reports.address]))
    }

    /// What the world recorded so far.
    var recorded: SimulatorState { records.state }

    func address(_ element: Int) -> UnicastAddress {
        TestNetwork.address(node.unicastAddress.rawValue + UInt16(element))
    }

    static func payload(_ name: String, _ values: FieldValues) throws -> [UInt8] {
        let message = try #require(MessageCatalogue.sig.message(named: name))
        return message.opcode.encoded + (try message.encode(values))
    }

    /// Sends a message, with a transaction of its own if it needs one, and returns what arrives within half a second.
    @discardableResult
    func send(
        _ name: String,
        _ values: FieldValues = FieldValues(),
        to destination: Destination,
        key: AppKeyIndex = ModelBench.key
    ) throws -> [DecodedMessage] {
        var values = values
        let message = try #require(MessageCatalogue.sig.message(named: name))
        if message.field(named: "tid") != nil, values["tid"] == nil {
            transaction = (transaction + 1) % 256
            values["tid"] = .integer(transaction)
        }
        return try send(try Self.payload(name, values), to: destination, key: key)
    }

    /// Sends octets, and returns what arrives within half a second.
    func send(
        _ payload: [UInt8],
        to destination: Destination,
        key: AppKeyIndex = ModelBench.key
    ) throws -> [DecodedMessage] {
        let seen = client.messages.count
        try client.send(payload, to: destination, under: .application(key))
        try client.wait(.milliseconds(600))
        return try client.messages[seen...].map { try MessageCatalogue.sig.decode($0.payload[...]) }
    }

    /// The answer of an element to a message; nil if there is none.
    @discardableResult
    func ask(_ name: String, _ values: FieldValues = FieldValues(), element: Int = 0) throws -> FieldValues? {
        let message = try #require(MessageCatalogue.sig.message(named: name))
        let answers = try send(name, values, to: .unicast(address(element)))
        return answers.first { $0.description.opcode == message.answer }?.values
    }

    /// A number of the answer.
    func number(
        _ name: String,
        _ field: String,
        _ values: FieldValues = FieldValues(),
        element: Int = 0
    ) throws -> Int64? {
        try ask(name, values, element: element)?.integer(field)
    }

    /// The messages that arrived at the group of reports since the message with that number.
    func published(since seen: Int) throws -> [DecodedMessage] {
        try client.messages[seen...].filter { $0.destination == Self.reports.address }
            .map { try MessageCatalogue.sig.decode($0.payload[...]) }
    }

    /// Lets a model publish to the group of reports.
    static func publish(_ model: UInt16, element: Int = 0, period: PublishPeriod = .none) -> (inout Node) -> Void {
        { node in
            guard let place = node.elements[element].place(of: .sig(model)) else { return }
            node.elements[element].models[place].publication = Publication(
                address: .group(reports),
                appKeyIndex: key,
                period: period
            )
        }
    }
}
