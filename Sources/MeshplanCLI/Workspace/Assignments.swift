import DefinitionModel
import Definitions
import MeshCore
import Store
import SystemLayer

/// The devices at the places of a network: what the definition and its file of assignments say, and how they change.
///
/// Each change is in the file, and on the disk, before it counts.
struct Assignments {
    private let context: Context
    /// The definition, with every assignment so far.
    private(set) var definition: Definition
    private let files: SourceFiles
    /// The file of the assignments, relative to the working folder.
    let path: String
    private var positions: [String: Int] = [:]
    private var names: [DeviceUUID: String] = [:]

    /// Reads the definition of a network.
    ///
    /// - Parameters:
    ///   - paths: the files and folders of the definition; empty for the current folder.
    ///   - network: the name of the network, if there are several.
    ///   - isAlone: whether to leave the file of assignments out.
    /// - Throws: ``InvalidDefinition`` or ``Failure`` if it cannot be read.
    init(_ context: Context, paths: [String], network: String?, isAlone: Bool = false) throws {
        self.context = context
        let reading = try DefinitionFiles(context: context).reading(paths, isAlone: isAlone)
        definition = try reading.definitions.selected(network)
        files = reading.files
        let name = AssignmentsFile.name(ofNetwork: definition.network.value)
        let known = files.files.map(\.path).first { $0 == name || $0.hasSuffix("/" + name) }
        let file = files.path(of: definition.network.location)
        path = known ?? (file.lastIndex(of: "/").map { String(file[...$0]) } ?? "") + name
        for (position, node) in definition.nodes.enumerated() {
            positions[node.name.value] = position
            if !node.awaitsDevice { names[node.uuid.value] = node.name.value }
        }
    }

    /// The places without a device, in the order of the definition.
    var open: [String] { definition.nodes.lazy.filter(\.awaitsDevice).map(\.name.value) }

    /// How many nodes the definition has.
    var count: Int { definition.nodes.count }

    /// The node of a device; nil if it is at no place.
    func name(of device: DeviceUUID) -> String? { names[device] }

    /// A node of the definition.
    func node(_ name: String) throws(Failure) -> NodeDefinition {
        if let position = positions[name] { return definition.nodes[position] }
        throw Failure(
            .usage,
            "the definition has no place `\(name.withoutKeys.printable)`",
            hint: Suggestion.hint(for: name, among: Set(positions.keys), are: "places are")?.asSentence
        )
    }

    /// Puts a device at a place that has none.
    ///
    /// - Returns: false if it is there already.
    /// - Throws: ``Failure`` if the place has another device, or the device another place; what writing throws.
    @discardableResult
    mutating func assign(_ device: DeviceUUID, to name: String) throws -> Bool {
        let node = try node(name)
        if !node.awaitsDevice {
            if node.uuid.value == device { return false }
            throw Failure(
                .usage,
                "`\(name)` has the device \(node.uuid.value) already",
                hint: "To give its place to another device: meshplan replace \(name.shellWord) UUID"
            )
        }
        try checkFree(device)
        try write([name: device])
        set(device, at: name)
        return true
    }

    func problems(of rows: [AssignmentTable.Row]) -> [Diagnostic] {
        var problems: [Diagnostic] = []
        var places: [String: AssignmentTable.Row] = [:]
        var devices: [DeviceUUID: AssignmentTable.Row] = [:]
        func report(_ message: String, _ location: SourceLocation, hint: String? = nil, _ first: SourceLocation? = nil)
        {
            let related = first.map { [Diagnostic.Related(message: "first here", location: $0)] } ?? []
            problems.append(Diagnostic(.error, message, at: location, hint: hint, related: related))
        }
        let candidates = Set(open)
        var unknown = 0
        for row in rows {
            let (place, device) = (row.place.value, row.device.value)
            if let first = places.updateValue(row, forKey: place), first.device.value != device {
                report("place `\(place)` has two devices", row.place.location, first.place.location)
            } else if let first = devices.updateValue(row, forKey: device), first.place.value != place {
                report("this device is at `\(first.place.value)`, too", row.device.location, first.device.location)
            } else if let position = positions[place] {
                let node = definition.nodes[position]
                if !node.awaitsDevice, node.uuid.value != device {
                    report(
                        "`\(place)` has the device \(node.uuid.value) already",
                        row.place.location,
                        hint: "to give its place to another device: meshplan replace \(place.shellWord) \(device)"
                    )
                } else if let other = names[device], other != place {
                    report("this device is at `\(other)` already", row.device.location)
                }
            } else {
                unknown += 1
                // To look for a like name takes time, and nobody reads more.
                let hint = unknown > 20 ? nil : Suggestion.hint(for: place, among: candidates, are: "places are")
                report("the definition has no place `\(place.withoutKeys.printable)`", row.place.location, hint: hint)
            }
        }
        return problems
    }

    /// Assigns the rows of a table, in one write.
    ///
    /// - Returns: the places that had no device before.
    /// - Throws: what writing throws; then nothing is assigned.
    mutating func assign(_ rows: [AssignmentTable.Row]) throws -> Set<String> {
        var devices: [String: DeviceUUID] = [:]
        for row in rows where positions[row.place.value].map({ definition.nodes[$0].awaitsDevice }) ?? false {
            devices[row.place.value] = row.device.value
        }
        guard !devices.isEmpty else { return [] }
        try write(devices.mapValues { $0 })
        for (place, device) in devices { set(device, at: place) }
        return Set(devices.keys)
    }

    /// Takes the devices away from places, in one write. A place without a device stays so.
    ///
    /// - Returns: the places that had a device before.
    /// - Throws: ``Failure`` if a place has its device from the definition itself; what writing throws. Then nothing is
    ///   changed.
    mutating func free(_ names: [String]) throws -> Set<String> {
        var devices: [String: DeviceUUID?] = [:]
        for name in names {
            let node = try node(name)
            guard !node.awaitsDevice else { continue }
            guard isAssigned(node) else {
                throw Failure(
                    .usage,
                    "the definition itself gives `\(name)` its device",
                    hint: "Take `uuid` out of \(files.path(of: node.uuid.location).printable), "
                        + "line \(node.uuid.location.line)."
                )
            }
            devices.updateValue(nil, forKey: name)
        }
        guard !devices.isEmpty else { return [] }
        try write(devices)
        for name in devices.keys { set(nil, at: name) }
        return Set(devices.keys)
    }

    /// Takes lines of places that the definition does not have out of the file.
    ///
    /// - Parameter names: the places; nil for all.
    /// - Returns: the places whose lines were there, sorted.
    /// - Throws: what reading and writing throw.
    func dropRemoved(_ names: [String]?) throws -> [String] {
        let turn = try turn(forFile: path)
        defer { turn.unlock() }
        var devices = try present()
        let removed = devices.keys.filter { positions[$0] == nil && names?.contains($0) != false }.sorted()
        guard !removed.isEmpty else { return [] }
        for name in removed { devices[name] = nil }
        try replace(path, by: AssignmentsFile.text(of: devices))
        return removed
    }

    /// Gives the place of a node to another device, where the definition names the present one.
    ///
    /// - Returns: the device that was there; nil if this one is there already.
    /// - Throws: ``Failure`` if the node has no device, or the device another place; what writing throws.
    mutating func replace(_ name: String, by device: DeviceUUID) throws -> DeviceUUID? {
        let node = try node(name)
        guard !node.awaitsDevice else {
            throw Failure(
                .usage,
                "`\(name)` has no device that could be replaced",
                hint: "Give it one with: meshplan assign \(name.shellWord) \(device)"
            )
        }
        let former = node.uuid.value
        guard former != device else { return nil }
        try checkFree(device)
        if isAssigned(node) { try write([name: device]) } else { try rewrite(node, to: device) }
        set(device, at: name)
        return former
    }

    // MARK: Parts

    private func isAssigned(_ node: NodeDefinition) -> Bool {
        AssignmentsFile.network(ofFile: files.path(of: node.uuid.location)) != nil
            || !files.files.indices.contains(Int(node.uuid.location.file))
    }

    private mutating func set(_ device: DeviceUUID?, at name: String) {
        guard let position = positions[name] else { return }
        names[definition.nodes[position].uuid.value] = nil
        if let device {
            // Not in the texts that were read.
            let location = SourceLocation(file: .max, line: 1, column: 1)
            definition.nodes[position].assign(Located(device, at: location))
            names[device] = name
        } else {
            definition.nodes[position].uuid = Located(
                .standIn(forPlace: name),
                at: definition.nodes[position].name.location
            )
            definition.nodes[position].awaitsDevice = true
        }
    }

    private func checkFree(_ device: DeviceUUID) throws(Failure) {
        guard let other = names[device] else { return }
        throw Failure(
            .usage,
            "the device \(device) is at `\(other)` already",
            hint: "If that is a mistake: meshplan assign --free \(other.shellWord)"
        )
    }

    /// Changes lines of the file. What others have written meanwhile stays, and is known from then on: processes take
    /// turns, and each reads the file anew in its turn.
    ///
    /// - Throws: ``Failure`` if somebody else has changed one of these lines meanwhile, or given a device another
    ///   place.
    private mutating func write(_ changes: [String: DeviceUUID?]) throws {
        let turn = try turn(forFile: path)
        defer { turn.unlock() }
        var devices = try present()
        var contested: String?
        for (name, device) in changes.sorted(by: { $0.key > $1.key }) {
            let found = devices[name]
            if found != known(name), found != device { contested = name }
        }
        takeOver(devices)
        if let contested { throw meanwhile(contested, devices[contested]) }
        for (name, device) in changes { devices[name] = device }
        let holders = Dictionary(devices.map { ($1, [$0]) }, uniquingKeysWith: +)
        if let (device, places) = holders.first(where: { $0.value.count > 1 }) {
            throw Failure(
                .failure,
                "the device \(device) would be at \(places.sorted().joined(separator: " and "))",
                hint: "Somebody has changed \(path.printable) meanwhile; look at it, and start again."
            )
        }
        try replace(path, by: AssignmentsFile.text(of: devices))
    }

    /// Replaces a file, behind its link if it is one; its permissions stay.
    private func replace(_ path: String, by text: String) throws {
        let target = Files.resolved(context.absolute(path)) ?? context.absolute(path)
        let mode = Files.permissions(target).flatMap { UInt16(exactly: $0 & 0o777) } ?? 0o644
        try AtomicFile.write(target, as: path, Array(text.utf8), mode: mode)
    }

    /// Waits until nobody else of this machine changes files of the same folder. The folder itself is locked, so that
    /// no file is left behind in it. On file systems without locks nobody waits.
    private func turn(forFile path: String) throws(FileError) -> OpenFile {
        let target = Files.resolved(context.absolute(path)) ?? context.absolute(path)
        let turn = try OpenFile(Files.folder(of: target), as: Files.folder(of: path), .folder, .lock)
        turn.waitForLock()
        return turn
    }

    /// The devices that the file names now, by place.
    private func present() throws -> [String: DeviceUUID] {
        guard Files.kind(context.absolute(path)) != nil else { return [:] }
        let bytes = try context.read(path)
        let files = SourceFiles(files: [SourceFiles.File(path: path, bytes: bytes)])
        let (read, diagnostics) = AssignmentsFile.read(files: files)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        return Dictionary(
            read.assignments.map { ($0.place.value, $0.device.value) },
            uniquingKeysWith: { _, last in last }
        )
    }

    /// Takes over what the file says now.
    private mutating func takeOver(_ devices: [String: DeviceUUID]) {
        for node in definition.nodes where node.awaitsDevice || isAssigned(node) {
            let name = node.name.value
            if devices[name] != known(name) { set(devices[name], at: name) }
        }
    }

    /// The device that the file had for a place when this command read or wrote it last.
    private func known(_ name: String) -> DeviceUUID? {
        guard let position = positions[name] else { return nil }
        let node = definition.nodes[position]
        return node.awaitsDevice || !isAssigned(node) ? nil : node.uuid.value
    }

    private func meanwhile(_ name: String, _ found: DeviceUUID?) -> Failure {
        Failure(
            .failure,
            found.map { "somebody has given `\(name)` the device \($0) meanwhile" }
                ?? "somebody has taken the device away from `\(name)` meanwhile",
            hint: "Nothing was changed. Start again: it goes on with what \(path.printable) says now."
        )
    }

    /// Writes another UUID where the definition has the present one.
    private func rewrite(_ node: NodeDefinition, to device: DeviceUUID) throws {
        let location = node.uuid.location
        let file = files.path(of: location)
        let turn = try turn(forFile: file)
        defer { turn.unlock() }
        let bytes = try context.read(file)
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        let number = Int(location.line) - 1
        if lines.indices.contains(number), files.files[Int(location.file)].bytes == bytes {
            let line = lines[number]
            for width in [36, 32] {
                let start = line.index(line.startIndex, offsetBy: Int(location.column) - 1, limitedBy: line.endIndex)
                let quoted = start.map { line[$0...].first == "\"" || line[$0...].first == "'" } ?? false
                guard let start, let first = line.index(start, offsetBy: quoted ? 1 : 0, limitedBy: line.endIndex),
                    let end = line.index(first, offsetBy: width, limitedBy: line.endIndex),
                    DeviceUUID(line[first..<end]) == node.uuid.value
                else { continue }
                let digits = device.description.lowercased()
                let text = width == 36 ? digits : digits.filter { $0 != "-" }
                lines[number] = line[..<first] + text + line[end...]
                try replace(file, by: lines.joined(separator: "\n"))
                return
            }
        }
        throw Failure(
            .failure,
            "the UUID of `\(node.name.value)` cannot be changed in \(file.printable)",
            hint: "Write \(device) there yourself, line \(location.line); or take `uuid` out, and use meshplan assign."
        )
    }
}
