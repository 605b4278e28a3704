import ArgumentParser
import Catalogue
import DefinitionModel
import Execution
import MeshCore

/// `meshplan send`
struct SendCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send any message to models of nodes, and show what they answer.",
        discussion: """
            A message is named with its fields: send hall generic-onoff-server set onoff=on. The transaction identifier \
            is added. Models of companies have the names that files with vendor models \
            give them. A message without a description is given in octets: send hall 0x0059:0x0001 --opcode 0xC15900 \
            --parameters 01ff --expect 0xC25900; the octets of an opcode stand in the order in which they are sent.

            What secures messages is an application key; the models that configure nodes use others, and are left to \
            apply. Ends with 4 if some did not answer.
            """
    )

    @OptionGroup var target: TargetArgument

    @Argument(
        help: ArgumentHelp("The model: generic-onoff-server, 0x1000 or 0x0059:0x0001.", valueName: "model"),
        completion: Completion.models
    )
    var model: String

    @Argument(
        help: ArgumentHelp("The message: generic-onoff-set, or set alone.", valueName: "message"),
        completion: Completion.messages
    )
    var message: String?

    @Argument(help: ArgumentHelp("The fields of the message.", valueName: "field=value"))
    var fields: [String] = []

    @Option(help: ArgumentHelp("The opcode, instead of a message.", valueName: "octets"))
    var opcode: String?

    @Option(help: ArgumentHelp("The parameters after the opcode, in hexadecimal.", valueName: "octets"))
    var parameters: String?

    @Option(help: ArgumentHelp("The message that answers it, by its name or opcode.", valueName: "message"))
    var expect: String?

    @Option(
        help: ArgumentHelp("The application key, instead of the first that is bound.", valueName: "name"),
        completion: Completion.applicationKeys
    )
    var key: String?

    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    func validate() throws {
        guard (message == nil) != (opcode == nil) else {
            throw ValidationError("Give either the name of a message or --opcode.")
        }
        if parameters != nil, opcode == nil { throw ValidationError("--parameters goes with --opcode.") }
        if let opcode, Self.opcode(opcode) == nil {
            throw ValidationError("`\(opcode)` is no opcode; one is written like 0x04, 0x8201 or 0xC15900.")
        }
        if let parameters, Self.octets(parameters) == nil {
            throw ValidationError("`\(parameters)` is not hexadecimal.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        return try MessageSession(operating: operating).send(
            try modelMessage(UInt8(truncatingIfNeeded: context.randomBits()), of: operating.models),
            to: target.target,
            keyNamed: key
        )
    }

    private func modelMessage(_ transaction: UInt8, of models: KnownModels) throws(Failure) -> OperatingMessage {
        guard let identifier = models.names.model(named: model) else {
            let nearest = Suggestion.nearest(to: model, among: models.names.all)
            throw Failure(
                .usage,
                "there is no model `\(model.printable)`",
                hint: nearest.map { "Did you mean `\($0)`?" }
            )
        }
        let answer = try expect.map { (name) throws(Failure) in try Self.answer(name, of: models) }
        guard let message else {
            return OperatingMessage(
                to: identifier,
                opcode: opcode.flatMap { Self.opcode($0) } ?? 0x00,
                parameters: parameters.flatMap { Self.octets($0) } ?? [],
                answer: answer,
                of: models
            )
        }
        do throws(MessageRefusal) {
            return try OperatingMessage(
                to: identifier,
                named: message,
                fields: fields,
                answer: answer,
                transaction: transaction,
                of: models
            )
        } catch {
            throw Failure(
                .usage,
                error.message(models.names).printable,
                hint: error.suggestion.map { "Did you mean `\($0)`?" }
            )
        }
    }

    private static func octets(_ text: String) -> [UInt8]? {
        Hexadecimal.decode(text.hasPrefix("0x") ? text.dropFirst(2) : text[...])
    }

    private static func opcode(_ text: String) -> Opcode? {
        guard let octets = octets(text), (1...3).contains(octets.count) else { return nil }
        let opcode = Opcode(rawValue: octets.reduce(0) { $0 << 8 | UInt32($1) })
        return opcode?.size == octets.count ? opcode : nil
    }

    private static func answer(_ text: String, of models: KnownModels) throws(Failure) -> Opcode {
        if let opcode = models.messages.message(named: text)?.opcode ?? opcode(text) { return opcode }
        throw Failure(
            .usage,
            "there is no message `\(text.printable)`",
            hint: "Give its whole name, such as generic-onoff-status, or its opcode, such as 0x8204."
        )
    }
}
