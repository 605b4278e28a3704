import MeshCore

/// A place in one of the files of a definition.
@usableFromInline
package struct SourceLocation: Hashable, Comparable, Sendable {
    /// The file: an index into ``SourceFiles``, or the number of an instance in ``SourceFiles/instances``.
    package var file: UInt32
    /// The line, from 1.
    package var line: UInt32
    /// The column in characters, from 1.
    package var column: UInt32

    package init(file: UInt32, line: UInt32, column: UInt32) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// In reading order.
    @usableFromInline
    package static func < (left: SourceLocation, right: SourceLocation) -> Bool {
        (left.file, left.line, left.column) < (right.file, right.line, right.column)
    }
}

/// The texts that locations point into.
package struct SourceFiles: Hashable, Sendable {
    /// One file.
    package struct File: Hashable, Sendable {
        /// The path as the user gave it.
        package var path: String
        /// All its octets, which may be invalid UTF-8.
        package var bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The files in reading order.
    package var files: [File]
    /// The instances that locations may lie in.
    package var instances = SourceInstances()

    package init(files: [File] = []) {
        self.files = files
    }

    /// The path of the file that contains a location.
    package func path(of location: SourceLocation) -> String {
        let file = Int(instances.place(of: location).file)
        return files.indices.contains(file) ? files[file].path : "?"
    }

    /// Converts a path relative to the definition's file into one relative to the working folder. Absolute paths stay.
    package func resolving(_ named: String, namedAt location: SourceLocation) -> String {
        let file = path(of: location)
        guard !named.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return named }
        return file[...slash] + named
    }

    /// The text of the line that contains a location, without its line break. Invalid UTF-8 is replaced. Nil if there
    /// is none, or if the file is none of those that may be shown.
    package func line(of location: SourceLocation) -> String? {
        let file = Int(instances.place(of: location).file)
        guard files.indices.contains(file), Self.mayBeShown(files[file].path) else { return nil }
        var line: UInt32 = 1
        var start = 0
        let bytes = files[file].bytes
        while line < location.line {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            start = end + 1
            line += 1
        }
        let text = bytes[start...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether lines of a file may stand in messages. What is named by mistake, such as a file with a key or a
    /// passphrase, has no such name.
    private static func mayBeShown(_ path: String) -> Bool {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else {
            // Texts that are no files have titles in parentheses.
            return path.hasPrefix("(") || path.hasPrefix("/dev/")
        }
        return [".yaml", ".yml", ".csv", ".json", ".jsonl", ".assignments", ".svg", ".xml"]
            .contains(path[dot...].lowercased())
    }
}

/// A value together with its location in a definition.
///
/// Every value of a definition passes through the initialiser, so it must be specialised in other modules. The compiler
/// does that for `package` declarations only if everything they use is `@usableFromInline`.
@usableFromInline
package struct Located<Value> {
    /// The value.
    @usableFromInline package var value: Value
    /// Its location.
    @usableFromInline package var location: SourceLocation

    @inlinable
    package init(_ value: Value, at location: SourceLocation) {
        self.value = value
        self.location = location
    }
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
