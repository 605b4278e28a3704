/// Options of other infrastructure tools, with what is typed here instead. The hyphens before them do not count: one is
/// the style of Terraform and Go, two that of everybody else.
enum ForeignOptions {
    /// What to type instead of an option; nil if nobody is known to expect it.
    ///
    /// - Parameters:
    ///   - name: without hyphens and value.
    ///   - command: the command, such as `plan`; empty for none.
    static func advice(for name: String, of command: String) -> String? {
        switch name {
        case "chdir", "working-dir", "directory": "Change into the folder before: cd DIR && meshplan …"
        case "target", "limit", "targets":
            ["plan", "apply"].contains(command)
                ? "Parts are chosen with --node, --group, --subnet and --tag; --exclude leaves some out." : nil
        case "refresh-only": "Nodes are only read back by meshplan refresh --via BEARER."
        case "parallelism", "forks", "jobs":
            "How much goes on at once is limited by --connections (links) and --window (nodes)."
        case "replace":
            "A device is replaced by meshplan replace NODE UUID; meshplan reprovision renews a node's key or address."
        case "yes", "y", "force", "auto-approve", "approve":
            ["plan", "validate", "show"].contains(command)
                ? "\(command) changes nothing, so there is nothing to approve."
                : "Approval is given beforehand with --auto-approve, or for one plan with --expect-digest."
        case "dry-run", "check", "what-if", "preview": "meshplan plan shows what would change, and sends nothing."
        case "lock", "lock-timeout": "A database is always locked while it is written; who holds it is told."
        case "input": "Nothing is asked where standard input is no terminal; --auto-approve asks for nothing anywhere."
        case "upgrade", "reconfigure", "migrate-state", "backend-config":
            "There are no plugins and no backends to set up; --state or MESHPLAN_STATE names a shared database."
        case "backup", "state-out":
            "Copies are made below .meshplan/backups before each change; one of your own: meshplan state pull FILE"
        case "no-color", "nocolor", "no-colour": "Colours are switched off by the variable NO_COLOR=1."
        case "compact-warnings", "concise": "Notes and warnings are always in full."
        case "json" where command == "graph": "A graph in JSON: meshplan graph --format json"
        case "output", "format": "Results are JSON with --json."
        case "inventory": "The files of the definition are named without an option: meshplan plan FILE …"
        default: nil
        }
    }
}
