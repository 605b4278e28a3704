import MeshCore
import Store
import SystemLayer
import TLS

/// The file of `--denied`: the fingerprints of clients that a gateway refuses, one per line.
///
/// The gateway reads it at each connection, so a change needs no restart, which would cut off clients. While it cannot
/// be read, nobody is let in: a typing error must not readmit a denied client.
struct DeniedClients {
    var context: Context
    /// The path as the user knows it.
    let path: String
    /// Who is denied, for messages.
    var kind = "clients"

    init(context: Context, path: String, of kind: String = "clients") {
        self.context = context
        self.path = path
        self.kind = kind
    }

    /// The most octets, enough for more than a thousand lines. Anybody who connects makes the gateway read them.
    private static let limit = 128 * 1024

    /// The fingerprints in the file.
    ///
    /// - Throws: ``BearerError`` that names the file, and the line if one is wrong.
    func fingerprints() throws(BearerError) -> Set<[UInt8]> {
        let octets: [UInt8]
        do throws(FileError) {
            octets = try Files.readRegular(context.absolute(path), limit: Self.limit, isSecret: false)
        } catch {
            throw BearerError(
                "the list of denied \(kind), \(path.printable), \(error.clause)",
                hint: "Nobody is let in until it can be read; an empty file denies nobody."
            )
        }
        var fingerprints: Set<[UInt8]> = []
        let lines = String(decoding: octets, as: UTF8.self).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
        for (index, line) in lines.enumerated() {
            // The rest of the line says whose fingerprint it is.
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let word = words.first else { continue }
            guard let fingerprint = Certificate.fingerprint(String(word)) else {
                throw BearerError(
                    "the list of denied \(kind), \(path.printable), line \(index + 1): there is no "
                        + "fingerprint (64 hexadecimal digits)",
                    hint: "Nobody is let in until that is fixed; comments begin with #."
                )
            }
            fingerprints.insert(fingerprint)
        }
        return fingerprints
    }
}
