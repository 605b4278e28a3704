package import MeshCore

/// The reason why the mesh database, a key file, a plan file or an import could not be used. When it is thrown, nothing
/// was changed, unless the function's documentation says otherwise. It never holds key material.
package struct StoreError: Error, Hashable, Sendable {
    /// The kind of trouble. A caller tells by it what to do, without reading the message.
    package enum Code: Hashable, Sendable {
        /// The file does not exist.
        case missing
        /// Something exists already and would be overwritten.
        case exists
        /// The file is something else: another program's database, a text, a folder, or empty.
        case notADatabase
        /// The key file, passphrase or key command does not open this database.
        case wrongKey
        /// A key file does not hold 64 hexadecimal digits, or the output of a key command is no secret.
        case invalidKeyFile
        /// A passphrase is too short, too long, or no text.
        case invalidPassphrase
        /// A key slot does not exist, or must stay, or there is no room for another.
        case keySlot
        /// Others than the owner can read the key file.
        case insecurePermissions
        /// Octets were changed or lost since they were written.
        case damaged
        /// A later version of the program wrote it.
        case newerFormat
        /// The file, its folder or its file system cannot be written to.
        case readOnly
        /// The operating system denies access.
        case permissionDenied
        /// The file system or the quota is full.
        case diskFull
        /// Reading or writing failed.
        case inputOutput
        /// There is no connection to the server of a shared database, or it broke.
        case unreachable
        /// Somebody else holds the lock; see ``StoreError/holder``.
        case locked
        /// The lease was released, or belongs to another database.
        case notLocked
        /// The database is no longer in the state that the change was made for.
        case stale
        /// The server was replaced by its standby, so sequence numbers have to be reserved anew. Nothing was written.
        case promoted
        /// The run is not known, or has ended.
        case unknownRun
        /// The state at a serial is not known, or no longer known.
        case unknownSerial
        /// A JSON document could not be read or breaks a rule.
        case invalidDocument
        /// No unicast address is left for a provisioner.
        case noFreeAddresses
        /// libcrypto failed.
        case cryptography
    }

    package var code: Code
    /// What happened: one sentence without a full stop.
    package var message: String
    /// How to mend it: one sentence without a full stop.
    package var hint: Advice?
    /// The file concerned, or the shared database and the network in it.
    package var path: String?
    /// Whether a connection broke in the middle of an answer, so that the same question may be answered now.
    var isOfHalfAnswer = false
    /// Who holds the lock, if that is known.
    package var holder: LockHolder?

    package init(
        _ code: Code,
        _ message: String,
        hint: Advice? = nil,
        path: String? = nil,
        holder: LockHolder? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.path = path
        self.holder = holder
    }

    /// An error with a hint of words alone.
    @_disfavoredOverload
    package init(
        _ code: Code,
        _ message: String,
        hint: String?,
        path: String? = nil,
        holder: LockHolder? = nil
    ) {
        self.init(code, message, hint: hint.map { Advice($0) }, path: path, holder: holder)
    }
}

extension StoreError: CustomStringConvertible {
    /// Path, message and hint in one line.
    package var description: String {
        (path.map { "\($0): " } ?? "") + message + (hint.map { " (\($0.text))" } ?? "")
    }
}
