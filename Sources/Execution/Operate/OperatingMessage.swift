package import Catalogue
import DefinitionModel
package import MeshCore

/// A message to a model, as a person gives it.
package struct OperatingMessage: Hashable, Sendable {
    package let model: ModelIdentifier
    /// The access payload: opcode and parameters.
    package let payload: [UInt8]
    /// The opcode of the message that answers it; nil if nothing is expected.
    package let answer: Opcode?
    /// The client that sends such messages; nil if the catalogue does not know it.
    package let client: ModelIdentifier?

    /// A message of the catalogue.
    ///
    /// - Parameters:
    ///   - name: the name of the message, or what follows the name of the model in it: `set` of `generic-onoff-set`.
    ///   - fields: `field=value`; a transaction identifier may be left out.
    ///   - answer: the opcode of another answer than the usual one; nil for that.
    ///   - transaction: stands for a transaction identifier that is left out.
    ///   - models: the models whose messages are known.
    /// - Throws: ``MessageRefusal`` if the model has no such message, or the fields do not go with it.
    package init(
        to model: ModelIdentifier,
        named name: String,
        fields: [String],
        answer: Opcode? = nil,
        transaction: UInt8,
        of models: KnownModels = .sig
    ) throws(MessageRefusal) {
        let known = models.messages.messages(of: model)
        guard let message = Self.message(name, of: models.names.name(of: model), among: known) else {
            let nearest = Suggestion.nearest(to: name, among: known.map(\.name))
            throw .noMessage(name, model, suggestion: nearest)
        }
        var texts: [MessageDescription.FieldText] = []
        for field in fields {
            guard let equals = field.firstIndex(of: "="), equals != field.startIndex else { throw .noField(field) }
            let text = String(field[field.index(after: equals)...])
            texts.append(MessageDescription.FieldText(name: String(field[..<equals]), text: text))
        }
        do throws(MessageEncodeError) {
            var values = try message.values(reading: texts)
            if message.field(named: "tid") != nil, values["tid"] == nil { values["tid"] = .integer(Int64(transaction)) }
            payload = message.opcode.encoded + (try message.encode(values))
        } catch {
            throw .fields(message.name, error.description)
        }
        self.model = model
        self.answer = answer ?? message.answer
        client = message.clients.first
    }

    /// A message by its octets.
    ///
    /// - Parameters:
    ///   - answer: the opcode of the answer; nil to expect none.
    ///   - models: the models whose messages are known.
    package init(
        to model: ModelIdentifier,
        opcode: Opcode,
        parameters: [UInt8],
        answer: Opcode?,
        of models: KnownModels = .sig
    ) {
        self.model = model
        payload = opcode.encoded + parameters
        self.answer = answer
        client = models.messages.message(opcode)?.clients.first
    }

    private static func message(
        _ name: String,
        of model: String,
        among known: [MessageDescription]
    ) -> MessageDescription? {
        if let exact = known.first(where: { $0.name == name }) { return exact }
        let stem = ["-setup-server", "-server", "-client"].first(where: model.hasSuffix)
        let full = model.dropLast(stem?.count ?? 0) + "-" + name
        if let exact = known.first(where: { $0.name == full }) { return exact }
        // Names of some messages lack a word of their model: generic-delta-set of generic-level-server.
        let ending = known.filter { $0.name.hasSuffix("-" + name) }
        return ending.count == 1 ? ending[0] : nil
    }

    /// The requests to the elements of a target that have the model.
    ///
    /// - Parameters:
    ///   - key: the AppKey; nil for the first that each model is bound to.
    ///   - target: where to send it.
    /// - Returns: the elements and their requests, the keys, and where it cannot be sent. A message without an answer
    ///   has requests, too, of which only destination and key count.
    package func requests(to target: ResolvedTarget, under key: AppKey?, in network: MeshNetwork) -> Requests {
        var requests = Requests()
        for part in target.elements where part.models.contains(where: { $0.identifier == model }) {
            let node = network.nodes[part.node]
            guard let destination = node.unicastAddress.element(UInt8(clamping: part.element)) else { continue }
            do throws(OperatingProblem) {
                let key =
                    if let key { key } else {
                        try network.operatingKey(of: model, element: part.element, on: node)
                    }
                requests.elements.append(part)
                requests.keys.append(key)
                requests.requests.append(
                    OperatingRequest(
                        node: node.uuid,
                        destination: destination,
                        payload: payload,
                        key: key.index,
                        subnets: [key.boundNetKey],
                        answer: answer ?? Self.anyOpcode
                    )
                )
                if let client { requests.needs.insert(OwnModel(client, key: key.index)) }
            } catch {
                requests.problems.append(Problem(element: part, problem: error))
            }
        }
        return requests
    }

    /// Stands for the answer of a message that has none; no request with it is awaited.
    private static let anyOpcode: Opcode = 0x00

    /// Where a message cannot be sent.
    package struct Problem: Hashable, Sendable {
        package let element: ResolvedTarget.Element
        package let problem: OperatingProblem
    }

    /// A message to the elements of a target.
    package struct Requests: Hashable, Sendable {
        /// The elements, one for each request.
        package fileprivate(set) var elements: [ResolvedTarget.Element] = []
        /// The keys, one for each request.
        package fileprivate(set) var keys: [AppKey] = []
        package fileprivate(set) var requests: [OperatingRequest] = []
        /// Where it cannot be sent.
        package fileprivate(set) var problems: [Problem] = []
        package fileprivate(set) var needs: Set<OwnModel> = []
    }
}

/// Why a message cannot be made.
package enum MessageRefusal: Error, Hashable, Sendable {
    /// The model has no message of that name; the last text is what is probably meant.
    case noMessage(String, ModelIdentifier, suggestion: String?)
    /// The text is not `field=value`.
    case noField(String)
    /// The fields do not go with the message; the second text says why.
    case fields(String, String)
}

extension MessageRefusal {
    /// What is wrong, without a full stop.
    ///
    /// - Parameter names: the names of models.
    package func message(_ names: ModelNames = ModelNames()) -> String {
        switch self {
        case .noMessage(let name, let model, suggestion: _): "\(names.name(of: model)) has no message `\(name)`"
        case .noField(let text): "`\(text)` is not field=value"
        case .fields(let message, let reason): "\(message): \(reason)"
        }
    }

    /// What is probably meant.
    package var suggestion: String? {
        if case .noMessage(_, _, let suggestion) = self { suggestion } else { nil }
    }
}
