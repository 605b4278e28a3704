import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// Copies of databases in `.meshplan/backups`, made before a command changes a database. They are sealed like the
/// database and open with the same key.
///
/// If a backup fails, the database is not changed: whoever relies on backups must hear about the failure before the
/// change, not after it.
struct Backups {
    private let context: Context
    /// How many of the latest backups are kept whatever their age; 0 to make none at all.
    private let count: Int

    /// The folder, relative to the working folder; people see it in this form, too.
    static let folderName = Workspace.folderName + "/backups"
    /// The environment variable that says how many backups to keep.
    static let variable = "MESHPLAN_BACKUPS"
    /// Of how many days the last backup is kept.
    private static let days = 14

    /// Backups as the environment configures them.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` if the variable is not a number up to 1000.
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

    /// Copies a database, and removes superfluous backups.
    ///
    /// - Parameter serial: the database's serial.
    func make(of database: MeshDatabase, at serial: UInt64) throws(StoreError) {
        guard count > 0, let network = Self.network(of: database) else { return }
        let folder = context.absolute(Self.folderName)
        let name = Backup(network: network, serial: serial, time: context.now(), lineage: database.lineage).name
        do {
            _ = try Files.createFolder(folder, as: Self.folderName)
        } catch {
            throw StoreError(.inputOutput, error.message, hint: Self.hint(error.hint))
        }
        do throws(StoreError) {
            let isCopied = try database.copy(to: folder + "/" + name)
            if !isCopied { try database.pull(to: folder + "/" + name) }
        } catch {
            throw StoreError(error.code, error.message, hint: Self.hint(error.hint?.worded), path: error.path)
        }
        // A superfluous backup does no harm, and the next command tries again.
        let names = (try? Files.names(inFolder: folder, as: Self.folderName)) ?? []
        let backups = names.compactMap { Backup($0) }
            .filter { $0.network == network && $0.isOf(database.lineage) }
        for superfluous in Self.superfluous(backups, keeping: count) {
            try? Files.remove(folder + "/" + superfluous.name, as: superfluous.name)
        }
    }

    /// The hint for a failed backup.
    ///
    /// - Parameter cure: how to make backups possible again, if known.
    private static func hint(_ cure: String?) -> String {
        (cure ?? "check the disk and the permissions of \(folderName)")
            + "; nothing was changed, because there would be no way back, and \(variable)=0 continues without a backup"
    }

    /// The network's name: that of the file, or the one in a shared database.
    private static func network(of database: MeshDatabase) -> String? {
        if let network = database.sharedNetwork { return network }
        guard let name = database.path.split(separator: "/").last, name.hasSuffix(".meshdb") else { return nil }
        let network = String(name.dropLast(".meshdb".count))
        return Name.isValid(network) ? network : nil
    }

    /// The backups of one database that are neither among the latest ones nor the last of one of the latest days. What
    /// is latest, the serials say: clocks go wrong, and only tell days apart here.
    static func superfluous(_ backups: [Backup], keeping count: Int) -> [Backup] {
        var days: Set<Int64> = []
        return backups.sorted(by: Backup.isNewer).enumerated().filter { index, backup in
            let isLastOfDay = days.count < Self.days && days.insert(backup.time.rawValue / 86_400).inserted
            return index >= count && !isLastOfDay
        }.map(\.element)
    }
}

/// A backup, identified by its file's name, `NETWORK-SERIAL-TIME-LINEAGE.meshdb`, where the lineage is 8 hexadecimal
/// digits.
struct Backup: Hashable {
    var network: String
    var serial: UInt64
    /// When the backup was made, as the clock said.
    var time: Timestamp
    /// The beginning of the database's lineage.
    var lineage: String

    init(network: String, serial: UInt64, time: Timestamp, lineage: Octets16) {
        self.init(network: network, serial: serial, time: time, lineage: Self.digits(lineage))
    }

    private static func digits(_ lineage: Octets16) -> String { String(lineage.hexadecimal.prefix(8)) }

    /// Whether it is a backup of the database with that lineage, by its name.
    func isOf(_ lineage: Octets16) -> Bool { self.lineage == Self.digits(lineage) }

    /// Whether one comes after another one of the same database. The clock only decides between equal serials.
    static func isNewer(_ one: Backup, _ other: Backup) -> Bool {
        (one.serial, one.time) > (other.serial, other.time)
    }

    private init(network: String, serial: UInt64, time: Timestamp, lineage: String) {
        self.network = network
        self.serial = serial
        self.time = time
        self.lineage = lineage
    }

    var name: String {
        "\(network)-\(serial)-\(time.text.filter { $0 != "-" && $0 != ":" })-\(lineage).meshdb"
    }

    /// Parses a file's name; nil for any other file, which is left alone.
    init?(_ name: String) {
        guard name.hasSuffix(".meshdb") else { return nil }
        let parts = name.dropLast(".meshdb".count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, let lineage = parts.last, Hexadecimal.decode(lineage)?.count == 4,
            !lineage.contains(where: \.isUppercase), let serial = UInt64(parts[parts.count - 3]),
            let time = Timestamp(compact: parts[parts.count - 2])
        else { return nil }
        self.init(
            network: parts.dropLast(3).joined(separator: "-"),
            serial: serial,
            time: time,
            lineage: String(lineage)
        )
        guard self.name == name else { return nil }
    }
}

extension Timestamp {
    /// Parses a time like `20261121T061658Z`.
    init?(compact text: some StringProtocol) {
        let digits = text.utf8.compactMap { (48...57).contains($0) ? Int64($0 - 48) : nil }
        guard digits.count == 14, text.utf8.count == 16 else { return nil }
        func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
        let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Days since 1970, counted in years that begin in March, like the conversion to text.
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear >= 0 ? shiftedYear / 400 : (shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        self.init(rawValue: days * 86_400 + number(8..<10) * 3_600 + number(10..<12) * 60 + number(12..<14))
    }
}
