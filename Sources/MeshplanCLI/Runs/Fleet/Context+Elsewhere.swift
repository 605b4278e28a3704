extension Context {
    /// The environment for commands that work in other folders: the paths in its variables are those of this one.
    var environmentElsewhere: [String: String] {
        var environment = self.environment
        for name in ["MESHPLAN_KEY_FILE", "MESHPLAN_PASSPHRASE_FILE"] {
            if let path = environment[name], !path.isEmpty { environment[name] = absolute(path) }
        }
        for name in ["MESHPLAN_DEVICES", "MESHPLAN_SECRETS"] {
            guard let paths = environment[name], !paths.isEmpty else { continue }
            environment[name] = paths.split(separator: ",").map { absolute(String($0)) }.joined(separator: ",")
        }
        return environment
    }

    /// How the database of a network is reached and opened from its folder: what the fleet says of it, and else what
    /// the options of this command say, whose paths are those of this folder.
    func storeAccessElsewhere(of network: FleetNetwork) -> StoreAccess {
        var access = self.storeAccess
        access.state = network.state ?? access.state
        access.keyFile = network.keyFile ?? access.keyFile.map(absolute)
        access.passphraseFile = access.passphraseFile.map(absolute)
        return access
    }
}
