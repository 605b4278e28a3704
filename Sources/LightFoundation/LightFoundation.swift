/// What swift-argument-parser takes from Foundation, and nothing else.
///
/// Foundation is a seventh of the executable, and the parser of arguments needs two small things of it. The package's
/// build has the parser import this module in its place (`-module-alias` in `.packaging/build`); all other builds use
/// Foundation. So names and meaning are Foundation's. Should the parser take more of it one day, the package's build
/// fails.

/// An error that words itself.
public protocol LocalizedError: Error {
    /// What happened; nil if the error has no words of its own.
    var errorDescription: String? { get }
}

/// Octets.
public struct Data: Hashable, Sendable {
    let bytes: [UInt8]
}

extension String {
    /// How text is encoded.
    public enum Encoding: Sendable {
        /// As UTF-8.
        case utf8
    }

    /// The text that octets encode; nil if they are no valid text.
    public init?(data: Data, encoding _: Encoding) {
        self.init(validating: data.bytes, as: UTF8.self)
    }
}
