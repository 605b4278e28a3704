import MeshCore

/// The instances of parts of a definition that stand in their files once and mean several things: the bodies of
/// modules, and entries that are repeated.
///
/// An instance has a file number of its own. So a location says where the text stands and which instance of it is
/// meant, and takes no more memory than any other.
package struct SourceInstances: Hashable, Sendable {
    /// One instance.
    package struct Instance: Hashable, Sendable {
        /// The file where the text stands.
        package var file: UInt32
        /// Where the instance is asked for. It may lie in another instance.
        package var parent: SourceLocation
        package var title: Title

        package init(file: UInt32, parent: SourceLocation, title: Title) {
            self.file = file
            self.parent = parent
            self.title = title
        }
    }

    /// What an instance is one of, such as `in use[2] of hotel-room, room = 117`. It is kept in parts, because a
    /// building has thousands of instances, and titles only matter where something is said of one.
    package struct Title: Hashable, Sendable, CustomStringConvertible {
        /// What all instances of an entry have in common.
        package var entry: String
        /// Where the row of a file stands that the instance is made for; nil without such a file.
        package var row: Row?
        /// The values that belong to the instance, as `room = 117`; empty if there are none.
        package var values: String

        /// A row of a file.
        package struct Row: Hashable, Sendable {
            /// Its line, from 1.
            package var line: Int
            package var path: String

            package init(line: Int, path: String) {
                self.line = line
                self.path = path
            }
        }

        package init(_ entry: String, row: Row? = nil, values: String = "") {
            self.entry = entry
            self.row = row
            self.values = values
        }

        /// All parts in one line.
        package var description: String {
            entry + (row.map { ", line \($0.line) of \($0.path)" } ?? "") + (values.isEmpty ? "" : ", " + values)
        }
    }

    private static let bit: UInt32 = 1 << 31
    /// The instances in the order in which they were made.
    package private(set) var all: [Instance] = []

    package init() {}

    /// Adds an instance and gives the number that locations in it have as their file.
    package mutating func add(_ instance: Instance) -> UInt32 {
        all.append(instance)
        return Self.bit | UInt32(all.count - 1)
    }

    /// The instance that a file number stands for; nil for a file.
    package subscript(file: UInt32) -> Instance? {
        guard file & Self.bit != 0, Int(file & ~Self.bit) < all.count else { return nil }
        return all[Int(file & ~Self.bit)]
    }

    /// The place in the file, whatever the instance.
    package func place(of location: SourceLocation) -> SourceLocation {
        var location = location
        if let instance = self[location.file] { location.file = instance.file }
        return location
    }

    /// The instances around a location, the innermost first.
    package func around(_ location: SourceLocation) -> [Instance] {
        var around: [Instance] = []
        var instance = self[location.file]
        while let found = instance {
            around.append(found)
            instance = self[found.parent.file]
        }
        return around
    }

    /// What the instances around a location are, the innermost first, in one line; nil if there are none.
    package func title(of location: SourceLocation) -> String? {
        let around = around(location)
        return around.isEmpty ? nil : around.map(\.title.description).joined(separator: ", ")
    }
}

extension SourceInstances {
    /// A diagnostic as it is shown: every location lies in a file, and lines say which instances are meant.
    ///
    /// - Parameter others: how many other instances have the same problem.
    package func shown(_ diagnostic: Diagnostic, others: Int = 0) -> Diagnostic {
        guard !all.isEmpty else { return diagnostic }
        var shown = diagnostic
        for index in shown.related.indices {
            let location = shown.related[index].location
            if let title = title(of: location) { shown.related[index].message += " (\(title))" }
            shown.related[index].location = self.place(of: location)
        }
        guard let location = diagnostic.location else { return shown }
        shown.location = place(of: location)
        for instance in around(location) {
            var message = instance.title.description
            if others > 0, instance == around(location).first {
                message += ", and in \(others) other instance\(others == 1 ? "" : "s")"
            }
            shown.related.append(Diagnostic.Related(message: message, location: place(of: instance.parent)))
        }
        return shown
    }

    /// What two diagnostics have in common if they are the same mistake in two instances: the text without what stands
    /// in backticks, and the place in the file.
    package func mistake(_ diagnostic: Diagnostic) -> Mistake? {
        guard let location = diagnostic.location, self[location.file] != nil else { return nil }
        let parts = diagnostic.message.split(separator: "`", omittingEmptySubsequences: false)
        let words = parts.enumerated().map { $0.offset.isMultiple(of: 2) ? $0.element : "" }.joined(separator: "`")
        return Mistake(severity: diagnostic.severity, words: words, place: place(of: location))
    }

    /// A mistake, in however many instances.
    package struct Mistake: Hashable, Sendable {
        var severity: Diagnostic.Severity
        var words: String
        var place: SourceLocation
    }

    /// Diagnostics as they are shown. The same mistake in several instances becomes one.
    package func folded(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        guard !all.isEmpty else { return diagnostics }
        var counts: [Mistake: Int] = [:]
        var kept: [Diagnostic] = []
        for diagnostic in diagnostics {
            if let mistake = mistake(diagnostic) {
                counts[mistake, default: 0] += 1
                if counts[mistake] != 1 { continue }
            }
            kept.append(diagnostic)
        }
        return kept.map { shown($0, others: mistake($0).map { (counts[$0] ?? 1) - 1 } ?? 0) }
    }
}
