internal import MeshCore
internal import Store

/// Copies of databases below `.meshplan/backups`, made before a command changes a database. They are sealed like the
/// database and open with the same key.
///
/// What cannot be backed up is not changed: whoever relies on backups must hear that there is none before and not after
/// the change.
struct Backups {
    private let context: Context
    /// How many of the last ones are kept whatever their age; 0 for no backups at all.
    private let count: Int

    /// The folder, for people and, from the working folder, for the system.
    static let folderName = Workspace.folderName + "/backups"
    /// The environment variable with the number of backups that are kept.
    static let variable = "MESHPLAN_BACKUPS"
    /// The last of a day is kept for so many days.
    private static let days: Int64 = 14

    /// Backups as the environment wants them.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` if it does not say how many.
    init(context: Context) throws(StoreError) {
        self.context = context
        let text = context.environment[Self.variable] ?? ""
        guard let count = text.isEmpty ? 10 : Int(text), (0...1000).contains(count) else {
            throw StoreError(
                .invalidDocument,
                "the environment variable \(Self.variable) does not hold a number up to 1000",
                hint: "set it to the number of backups that are kept, 0 for none"
            )
        }
        self.count = count
    }

    /// Copies a database, and removes copies that are not needed any more.
    ///
    /// - Parameter serial: the database's serial.
    func make(of database: MeshDatabase, at serial: UInt64) throws(StoreError) {
        guard count > 0, let network = Self.network(of: database) else { return }
        let folder = context.absolute(Self.folderName)
        let name = Backup(network: network, serial: serial, time: context.now()).name
        do {
            _ = try Files.createFolder(folder, as: Self.folderName)
        } catch {
            throw StoreError(.inputOutput, error.message, hint: Self.hint(error.hint))
        }
        do throws(StoreError) {
            let isCopied = try database.copy(to: folder + "/" + name)
            if !isCopied { try database.pull(to: folder + "/" + name) }
        } catch {
            throw StoreError(error.code, error.message, hint: Self.hint(error.hint), path: error.path)
        }
        // One too many does no harm, and the next command tries again.
        let names = (try? Files.names(inFolder: folder, as: Self.folderName)) ?? []
        let backups = names.compactMap { Backup($0) }.filter { $0.network == network }
        for superfluous in Self.superfluous(backups, keeping: count, at: context.now()) {
            try? Files.remove(folder + "/" + superfluous.name, as: superfluous.name)
        }
    }

    /// How to go on where there can be no backup.
    ///
    /// - Parameter cure: how to have one again, if that is known.
    private static func hint(_ cure: String?) -> String {
        (cure ?? "check the disk and the permissions of \(folderName)")
            + "; nothing was changed, because there would be no way back, and \(variable)=0 goes on without a backup"
    }

    /// The network by the name of its file, or by that which it has in a shared database.
    private static func network(of database: MeshDatabase) -> String? {
        if let network = database.sharedNetwork { return network }
        guard let name = database.path.split(separator: "/").last, name.hasSuffix(".meshdb") else { return nil }
        let network = String(name.dropLast(".meshdb".count))
        return Name.isValid(network) ? network : nil
    }

    /// The backups that are neither among the last ones nor the last of one of the last days.
    static func superfluous(_ backups: [Backup], keeping count: Int, at now: Timestamp) -> [Backup] {
        let sorted = backups.sorted { ($0.time, $0.serial) > ($1.time, $1.serial) }
        var days: Set<Int64> = []
        return sorted.enumerated().filter { place, backup in
            let day = backup.time.rawValue / 86_400
            let isLastOfDay = days.insert(day).inserted && now.rawValue / 86_400 - day < Self.days
            return place >= count && !isLastOfDay
        }.map(\.element)
    }
}

/// A backup by its file's name, `NETWORK-SERIAL-TIME.meshdb`. The time tells apart what became of one serial when an
/// older backup was put back.
struct Backup: Hashable {
    /// The network.
    var network: String
    /// The database's serial.
    var serial: UInt64
    /// When it was made.
    var time: Timestamp

    /// A backup of those.
    init(network: String, serial: UInt64, time: Timestamp) {
        self.network = network
        self.serial = serial
        self.time = time
    }

    /// The file's name.
    var name: String {
        "\(network)-\(serial)-\(time.text.filter { $0 != "-" && $0 != ":" }).meshdb"
    }

    /// Reads a file's name; nil if it is something else, which is none of our business.
    init?(_ name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, let last = parts.last, last.hasSuffix("Z.meshdb"),
            let serial = UInt64(parts[parts.count - 2]),
            let time = Timestamp(compact: last.dropLast(".meshdb".count))
        else { return nil }
        self.init(network: parts.dropLast(2).joined(separator: "-"), serial: serial, time: time)
        guard self.name == name else { return nil }
    }
}

extension Timestamp {
    /// From `20261121T061658Z`.
    fileprivate init?(compact text: Substring) {
        let digits = text.utf8.compactMap { (48...57).contains($0) ? Int64($0 - 48) : nil }
        guard digits.count == 14, text.utf8.count == 16 else { return nil }
        func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
        let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Days since 1970 by counting from the first of March, as the way back does.
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear >= 0 ? shiftedYear / 400 : (shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        self.init(rawValue: days * 86_400 + number(8..<10) * 3_600 + number(10..<12) * 60 + number(12..<14))
    }
}
