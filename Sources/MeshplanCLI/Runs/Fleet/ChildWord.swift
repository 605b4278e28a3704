/// A word of a command line with which meshplan starts itself.
///
/// What stands in files, in tables and in names of files is a value in it and never becomes an option or a command:
/// those are texts of the source only.
enum ChildWord: Equatable {
    case command(FleetVerb)
    /// A number where a command takes one.
    case number(UInt64)
    /// An option without a value.
    case flag(StaticString)
    /// An option with a value, whatever that begins with.
    case option(StaticString, String)
    /// A file or folder.
    case path(String)

    static func == (left: Self, right: Self) -> Bool { [left].commandLine == [right].commandLine }

    /// The word, if it is no path.
    fileprivate var text: String? {
        switch self {
        case .command(let verb): verb.rawValue
        case .number(let number): String(number)
        case .flag(let name): name.description
        case .option(let name, let value): "\(name)=\(value)"
        case .path: nil
        }
    }

    /// The path, which is no option and not standard input either, whatever its name.
    fileprivate var path: String? {
        guard case .path(let path) = self else { return nil }
        return path.hasPrefix("-") ? "./" + path : path
    }
}

extension [ChildWord] {
    /// The words as a process gets them: paths come last, behind the mark after which nothing is an option.
    var commandLine: [String] {
        let paths = compactMap(\.path)
        return compactMap(\.text) + (paths.isEmpty ? [] : ["--"] + paths)
    }
}

/// The commands that meshplan starts for the networks of a fleet.
enum FleetVerb: String {
    case plan, apply, test, drift, doctor, refresh, rollback, state, restore
}
