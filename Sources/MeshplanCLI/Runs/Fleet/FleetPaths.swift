import SystemLayer

/// The paths of a fleet's networks, as they are written into files that others read elsewhere: from the folder of the
/// fleet, if they lead into it.
struct FleetPaths {
    /// The absolute path of the fleet's folder.
    let base: String

    /// The paths of a fleet.
    ///
    /// - Parameter path: the folder of the fleet, or its `fleet.yaml`.
    init(_ path: String, in context: Context) {
        let absolute = context.absolute(path)
        self.init(base: Files.kind(absolute) == .file ? Files.folder(of: absolute) : absolute)
    }

    /// The paths of a fleet in a folder, by its absolute path.
    init(base: String) { self.base = Self.plain(base) }

    func written(_ network: FleetNetwork) -> FleetNetwork {
        var written = network
        written.folder = relative(network.folder)
        written.definition = network.definition.map { relative($0.hasPrefix("/") ? $0 : network.folder + "/" + $0) }
        written.keyFile = network.keyFile.map(relative)
        written.state = network.state.map(RepeatedCommand.withoutPassword)
        return written
    }

    /// A network as commands use it. Its definition is the one in its folder if files of it are not there.
    func usable(_ network: FleetNetwork) -> FleetNetwork {
        var usable = network
        usable.folder = absolute(network.folder)
        let definition = network.definition.map(absolute)
        usable.definition = definition.allSatisfy { Files.kind($0) != nil } ? definition : []
        usable.keyFile = network.keyFile.map(absolute)
        return usable
    }

    private func relative(_ path: String) -> String {
        let path = Self.plain(path)
        if path == base { return "." }
        return path.hasPrefix(base + "/") ? String(path.dropFirst(base.count + 1)) : path
    }

    private func absolute(_ path: String) -> String {
        path == "." ? base : path.hasPrefix("/") ? path : base + "/" + path
    }

    /// An absolute path without `.` and empty parts in it. Each `..` stays, because of links.
    private static func plain(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
