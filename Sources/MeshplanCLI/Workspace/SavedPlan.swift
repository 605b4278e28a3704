import Basics
import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// A plan in a file: a line of text that names the network, followed by the plan, sealed by the network's database.
///
/// The line serves to find the right database. The seal proves that nobody has changed the plan.
enum SavedPlan {
    private static let marker = "meshplan plan 1 "
    private static let sizeLimit = 256 << 20

    /// Whether a path means a saved plan: through the file's contents, even damaged ones, or through its name if the
    /// contents are lost.
    static func isNamed(by path: String, in context: Context) -> Bool {
        let absolute = context.absolute(path)
        let kind = Files.kind(absolute)
        if path.hasSuffix(".mplan") { return true }
        guard kind == .file, let bytes = try? Files.readStart(absolute, as: path, count: 256) else { return false }
        return isRecognized(bytes)
    }

    /// Whether octets are the beginning of a saved plan, possibly with some of them changed or lost.
    private static func isRecognized(_ bytes: [UInt8]) -> Bool {
        let start = Array(marker.utf8)
        // The first word alone could begin any file.
        if bytes.count < start.count { return bytes.count > "meshplan".utf8.count && start.starts(with: bytes) }
        if zip(bytes, start).count(where: { $0 == $1 }) >= start.count - 4 { return true }
        let sealed = Array("\nMESHPLAN".utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: sealed) }
    }

    /// Refuses to overwrite anything other than a saved plan, such as the definition.
    static func check(target path: String, in context: Context) throws {
        switch try Files.kind(examining: context.absolute(path), as: path) {
        case nil: return
        case .file:
            if isNamed(by: path, in: context) { return }
            throw Failure(
                .failure,
                "\(path) exists and is not a saved plan",
                hint: "Choose another name, such as \(path).mplan, or remove the file."
            )
        case .folder: throw Failure(.failure, "\(path) is a folder", hint: "Name a file in it.")
        case .pipe, .other, .hidden:
            throw Failure(.failure, "\(path) is not a regular file", hint: "Choose another name.")
        }
    }

    /// Writes a plan for its owner alone (0600). Includes the definition that it was made from, if there is one,
    /// because the database records it when the plan is applied; and what it goes back to, if it does.
    static func write(
        _ plan: Plan,
        definition: DefinitionText? = nil,
        returnGoal: ReturnGoal? = nil,
        to path: String,
        database: MeshDatabase,
        context: Context
    ) throws {
        let encoded = PlanFile.encode(plan)
        let start = returnGoal?.encoded() ?? []
        let sealed: [UInt8]
        if let definition {
            var writer = ByteWriter(capacity: encoded.count + 4)
            writer.write(UInt32(clamping: encoded.count))
            writer.write(encoded)
            writer.write(definition.encoded())
            sealed = try database.seal(
                start + writer.bytes,
                purpose: purposeWithDefinition(plan.network, isReturn: returnGoal != nil)
            )
        } else {
            sealed = try database.seal(start + encoded, purpose: purpose(plan.network, isReturn: returnGoal != nil))
        }
        let bytes = Array("\(marker)\(plan.network)\n".utf8) + sealed
        try AtomicFile.write(context.absolute(path), as: path, bytes)
    }

    /// The sealed plan in a file, and its network.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/invalidInput`` if the file is damaged or something else; ``FileError``
    ///   if it cannot be read.
    static func read(_ path: String, in context: Context) throws -> (network: String, sealed: [UInt8]) {
        let bytes = try context.read(path, limit: sizeLimit)
        let start = Array(marker.utf8)
        guard bytes.starts(with: start) else {
            let isPiece = start.starts(with: bytes)
            throw Failure(
                .invalidInput,
                isPiece
                    ? bytes.isEmpty ? "the saved plan \(path) is empty" : "the saved plan \(path) is cut off"
                    : isRecognized(Array(bytes.prefix(256)))
                        ? "the saved plan \(path) is damaged" : "\(path) is not a saved plan",
                hint: again
            )
        }
        let line = bytes[start.count...].prefix(128).prefix { $0 != UInt8(ascii: "\n") }
        let network = String(decoding: line, as: UTF8.self)
        guard Name.isValid(network), start.count + line.count < bytes.count else {
            throw Failure(
                .invalidInput,
                "the saved plan \(path) is damaged or cut off",
                hint: again
            )
        }
        return (network, Array(bytes[(start.count + line.count + 1)...]))
    }

    /// Opens a plan that a database has sealed.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/invalidInput`` if it is damaged, or of another database or network.
    static func open(_ sealed: [UInt8], of network: String, path: String, database: MeshDatabase) throws -> Plan {
        try openWithDefinition(sealed, of: network, path: path, database: database).plan
    }

    /// Opens a plan that a database has sealed, the definition that it was made from, and what it goes back to; nil if
    /// there is none.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/invalidInput`` if it is damaged, or of another database or network.
    static func openWithDefinition(
        _ sealed: [UInt8],
        of network: String,
        path: String,
        database: MeshDatabase
    ) throws -> (plan: Plan, definition: DefinitionText?, returnGoal: ReturnGoal?) {
        var definition: DefinitionText?
        var returnGoal: ReturnGoal?
        let plan: Plan
        do {
            let goes = try? database.unseal(sealed, purpose: purposeWithDefinition(network, isReturn: false))
            let returns = try? database.unseal(sealed, purpose: purposeWithDefinition(network, isReturn: true))
            if let bytes = goes ?? returns {
                var reader = ByteReader(bytes)
                if returns != nil { returnGoal = try ReturnGoal(from: &reader) }
                let count = Int(try reader.readUInt32())
                plan = try PlanFile.decode(Array(try reader.read(count)))
                definition = try DefinitionText(decoding: Array(reader.readRest()))
            } else if let bytes = try? database.unseal(sealed, purpose: purpose(network, isReturn: true)) {
                var reader = ByteReader(bytes)
                returnGoal = try ReturnGoal(from: &reader)
                plan = try PlanFile.decode(Array(reader.readRest()))
            } else {
                let bytes = try naming(path) { () throws(StoreError) in
                    try database.unseal(sealed, purpose: purpose(network, isReturn: false))
                }
                plan = try PlanFile.decode(bytes)
            }
        } catch let error as DecodeError {
            let writer = MeshDatabase.writer(of: sealed) ?? "unknown"
            throw Failure(
                .invalidInput,
                "\(path) does not hold a plan that meshplan \(programVersion) understands; version \(writer) wrote it: "
                    + "\(error)",
                hint: again
            )
        }
        guard plan.network == network else {
            throw Failure(.invalidInput, "\(path) is a plan of another network", hint: again)
        }
        return (plan, definition, returnGoal)
    }

    private static let again = "Save the plan again with: meshplan plan --out FILE"

    /// Adds the path, as the user knows it, to errors. A damaged file is invalid input, not a failure of the program.
    private static func naming<Value>(_ path: String, _ body: () throws(StoreError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            switch error.code {
            // Its first line was right, so what follows was a plan of meshplan's once.
            case .damaged, .invalidDocument:
                throw Failure(.invalidInput, "the saved plan \(path) is damaged or cut off", hint: again)
            case .newerFormat, .wrongKey:
                throw Failure(.invalidInput, "\(path): \(error.message)", hint: again)
            default: throw StoreError(error.code, error.message, hint: error.hint, path: path, holder: error.holder)
            }
        }
    }

    private static func purpose(_ network: String, isReturn: Bool) -> String {
        (isReturn ? "goal and " : "") + "plan \(network)"
    }

    private static func purposeWithDefinition(_ network: String, isReturn: Bool) -> String {
        (isReturn ? "goal and " : "") + "plan and definition \(network)"
    }
}
