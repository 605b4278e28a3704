import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import SystemLayer

/// Reads out-of-band data of devices: from the sources in the definition, or else from the files of `--secrets`. Errors
/// never contain a secret.
struct SecretsReader {
    private let context: Context
    /// The sources that the definition names.
    let texts: SecretTexts
    private let hasFiles: Bool
    private let secrets: [DeviceUUID: DeviceSecrets]

    /// A reader that uses only the sources in orders.
    init(context: Context) {
        self.context = context
        texts = SecretTexts(context)
        hasFiles = false
        secrets = [:]
    }

    /// Reads files with secrets, and makes git ignore them. Refuses files that others can use: they may get into a
    /// backup or a shared folder.
    ///
    /// - Throws: ``FileError`` if a file cannot be read or is open to others; ``InvalidDefinition`` if its contents are
    ///   wrong.
    init(context: Context, files paths: [String]) throws {
        self.context = context
        texts = SecretTexts(context)
        hasFiles = !paths.isEmpty
        var files = SourceFiles()
        for path in paths {
            let bytes = try context.read(path, isSecret: true)
            files.files.append(.init(path: path, bytes: bytes))
        }
        var diagnostics: [Diagnostic] = []
        (secrets, diagnostics) = SecretsFile.read(files: files)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        for path in paths { diagnostics += GitIgnore.keepOut(path, context) }
        FailureView(context).show(diagnostics, files: files)
    }

    /// The static value of a device; nil if there is none.
    ///
    /// - Throws: the reason why its source cannot be used.
    func staticValue(_ order: ProvisioningOrder) throws(ExecutionContext.KeyError) -> StaticOutOfBandValue? {
        guard let source = order.staticValue else { return secrets[order.uuid]?.staticValue }
        let (text, place) = try read(source)
        do throws(SecretProblem) {
            return try SecretDigits.staticValue(text)
        } catch {
            throw ExecutionContext.KeyError("\(place) does not hold a static value: \(error.message)")
        }
    }

    /// The public key of a device; nil if there is none.
    ///
    /// - Throws: the reason why its source cannot be used.
    func publicKey(_ order: ProvisioningOrder) throws(ExecutionContext.KeyError) -> P256PublicKey? {
        guard let path = order.publicKeyFile else { return secrets[order.uuid]?.publicKey }
        let (text, place) = try read(.file(path), isSecret: false)
        do throws(SecretProblem) {
            return try SecretDigits.publicKey(text)
        } catch {
            throw ExecutionContext.KeyError("\(place) does not hold a public key: \(error.message)")
        }
    }

    private func read(
        _ source: SecretSource,
        isSecret: Bool = true
    ) throws(ExecutionContext.KeyError) -> (text: String, place: String) {
        (try texts.text(of: source, isSecret: isSecret), source.title)
    }

    /// What the files of `--secrets` say about devices, in a form that is the same only for the same secrets; nil if no
    /// file was named.
    func octets(of devices: [DeviceUUID]) -> [UInt8]? {
        guard hasFiles else { return nil }
        return devices.sorted { $0.rawValue.bytes.lexicographicallyPrecedes($1.rawValue.bytes) }.flatMap { uuid in
            let values = [secrets[uuid]?.staticValue?.octets ?? [], secrets[uuid]?.publicKey?.coordinates ?? []]
            return uuid.rawValue.bytes + values.flatMap { [UInt8($0.count)] + $0 }
        }
    }
}
