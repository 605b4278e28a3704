import Catalogue
import DefinitionModel
import Definitions
import MeshCore

extension FuzzTarget {
    /// Access messages of the catalogue; the opcode determines the contents of the rest.
    package static let catalogueMessage = FuzzTarget(
        "catalogue-message",
        "messages that the catalogue describes",
        maximumSize: 384,
        seeds: MessageCatalogue.sig.messages.filter { $0.forms != nil }.map { message in
            message.opcode.encoded + [1, 0, 1, 0, 1, 0, 1, 0, 1, 0].prefix(message.shortestLength)
        } + [octets("52ff4d00820a1b08ff6400220d0000"), octets("574f0083f401e803002832"), octets("546000500ad20400")],
        dictionary: MessageCatalogue.sig.messages.map { $0.opcode.encoded },
        run: examineCatalogueMessage
    )

    private static func examineCatalogueMessage(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let decoded: DecodedMessage
        do throws(AccessPayloadError) {
            decoded = try MessageCatalogue.sig.decode(input[...])
        } catch {
            if case .parameters(let opcode, let problem) = error {
                trace.note("\(opcode) \(problem.field ?? "")")
                try demand((0...input.count).contains(problem.offset), "an offset outside of the message")
            }
            return
        }
        let message = decoded.description
        trace.note("\(message.opcode) \(decoded.values.names)")
        let again = try demandSuccess("\(message.name) that was read cannot be written") {
            () throws(MessageEncodeError) in
            try message.encode(decoded.values)
        }
        try demand(message.opcode.encoded + again == input, "\(message.name) changes when it is written")
        let texts = message.texts(of: decoded.values)
        try demand(texts.allSatisfy { !$0.text.isEmpty }, "\(message.name) has a field without a text")
    }

    /// Files with vendor models.
    package static let vendorModels = FuzzTarget(
        "vendor-models",
        "vendor models in YAML",
        shape: .text,
        maximumSize: 8_192,
        seeds: [Array(sampleModels.utf8)],
        dictionary: [
            "u8", "s16", "octets2", "text8", "rest", "share", "counted", "model", "float", " /100", " *2/3", " [lx]",
            " n-5", " 2^(n-3)", " 0=off", " 0..9", " set", " boolean", " !", "a*:u8", "a*( b:u8 )", "[ a:u8 ]", " / ",
            "_4", "=1", "0x2a", "0xC15900", "status", "opcode: ", "fields: ", "answer: ",
        ].map { Array($0.utf8) },
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: input)])
            let (models, diagnostics) = VendorModelsFile.read(files: files)
            trace.note(models.map(\.messages.count))
            for diagnostic in diagnostics {
                trace.note(diagnostic.message.filter { !$0.isNumber }.split(separator: "`").first ?? "")
                try demand(!diagnostic.message.isEmpty, "a diagnostic without text")
            }
            // Whatever a file says, no message of its models makes the codec trap or change what it read.
            for message in models.flatMap(\.messages) {
                for length in 0...12 {
                    let parameters = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
                    guard let values = try? message.decode(parameters) else { continue }
                    let again = try demandSuccess("\(message.name) cannot be written") {
                        () throws(MessageEncodeError) in
                        try message.encode(values)
                    }
                    try demand(again == parameters, "\(message.name) changes when it is written")
                    _ = message.text(of: values)
                }
            }
        }
    )

    private static let sampleModels = """
        models:
          exit-light:
            company: 0x0059
            model: 0x0001
            types: { lamp: "u8 0=ok 1=failed ?", charge: "u16 /100 [%] 0..10000 0xffff=not-known" }
            messages:
              exit-get: { opcode: 0x01, answer: exit-status }
              exit-set: { opcode: 0x02, fields: "lamp tid [ transition delay ]", answer: exit-status }
              exit-status: { opcode: 0x03, fields: "lamp charge", direction: status }
              exit-log: { opcode: 0x04, fields: "sub:u8=1 records*( lamp charge ) / sub:u8=2 _4 kind:u4 rest", direction: status }
            states: { exit: { get: exit-get, set: exit-set, lasting: on } }
        """
}

extension MessageDescription {
    /// The octets that the fields of fixed size of the first form need.
    fileprivate var shortestLength: Int {
        let bits = (forms?.first ?? []).reduce(0) { sum, part in
            switch part {
            case .field(let field): sum + (field.type.bits ?? 8)
            case .reserved(let bits): sum + bits
            case .optional, .list, .records: sum
            }
        }
        return bits / 8
    }
}
