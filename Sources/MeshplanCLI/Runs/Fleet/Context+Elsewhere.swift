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
}
