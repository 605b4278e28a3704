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

    package var files: [File]
    /// The instances that locations may lie in.
    package var instances = SourceInstances()

    package init(files: [File] = []) {
        self.files = files
    }

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

    /// The octets around a location that are looked at. A secret is recognised by what stands in front of it, so these
    /// are some times the longest text of a definition.
    private static let reach = 12_000

    private static let block = 1024

    /// The characters that begin in a block of octets; nil if the line or the text ends there.
    private static func leads(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start + block < bytes.count else { return nil }
        var leads = 0
        var ends = 0
        var index = start
        while index < start + block {
            let byte = bytes[index]
            if byte & 0xC0 != 0x80 { leads += 1 }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { ends += 1 }
            index += 1
        }
        return ends == 0 ? leads : nil
    }

    /// The text of the line that contains a location, without its line break; of a very long line, what is not too far
    /// from the location, with the number of characters before that. Invalid UTF-8 is replaced. Nil if there is none,
    /// or if the file is none of those that may be shown.
    package func line(of location: SourceLocation) -> (text: String, skipped: Int)? {
        let file = Int(instances.place(of: location).file)
        guard files.indices.contains(file), Self.mayBeShown(files[file].path) else { return nil }
        return files[file].bytes.withUnsafeBufferPointer { bytes in
            var line: UInt32 = 1
            var start = 0
            while line < location.line {
                guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                start = end + 1
                line += 1
            }
            func isEnd(_ index: Int) -> Bool {
                index == bytes.count || bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r")
            }
            func isInside(_ index: Int) -> Bool { index < bytes.count && bytes[index] & 0xC0 == 0x80 }
            var place = start
            var passed = 1
            // Of a very long line, whole blocks at once.
            while let leads = Self.leads(in: bytes, from: place), passed + leads < location.column {
                place += Self.block
                passed += leads
            }
            while isInside(place) { place += 1 }
            while passed < location.column, !isEnd(place) {
                place += 1
                while isInside(place) { place += 1 }
                passed += 1
            }
            var end = place
            while !isEnd(end), end < place + Self.reach || isInside(end) { end += 1 }
            guard place > start + Self.reach else { return (String(decoding: bytes[start..<end], as: UTF8.self), 0) }
            start = place - Self.reach
            while isInside(start) { start += 1 }
            let seen = bytes[start..<place].count { $0 & 0xC0 != 0x80 }
            return (String(decoding: bytes[start..<end], as: UTF8.self), passed - 1 - seen)
        }
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
    @usableFromInline package var value: Value
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
