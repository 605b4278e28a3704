import MeshCore
import PostgreSQL

extension PostgreSQLSession {
    /// The error to show for an error of the server or of the connection to it. The classes are those of PostgreSQL's
    /// appendix on error codes.
    func storeError(_ error: PostgreSQLError) -> StoreError {
        func make(_ code: StoreError.Code, _ message: String, _ hint: Advice) -> StoreError {
            StoreError(code, message, hint: hint, path: name)
        }
        if error.kind == .shape { return .damaged("a table (\(error.message))", path: name) }
        let said = ": \(error.message)"
        switch error.state {
        case "28P01", "28000":
            return make(
                .permissionDenied,
                "the server refuses the user\(said)",
                "give user and password in ~/.pgpass, PGUSER and PGPASSWORD, or the address"
            )
        case "3D000":
            return make(
                .missing,
                "there is no such database on the server\(said)",
                "check the address, or make the database with: createdb"
            )
        case "42501":
            return make(
                .permissionDenied,
                "the server's user may not do that\(said)",
                """
                have the owner of the tables grant SELECT, INSERT, UPDATE and DELETE on the tables meshplan_…, or, to make \
                them with \(command: .begin), CREATE on the schema
                """
            )
        case "25006":
            return make(
                .readOnly,
                "the server accepts no changes: it is a replica or read-only",
                "name the primary server, or several with target_session_attrs=read-write in the address"
            )
        case "42P01", "3F000":
            return make(
                .missing,
                "there are no tables of meshplan\(said)",
                "make them with: \(command: .createStore("\(address)"))"
            )
        case "42703", "42804", "42883", "42P10":
            return make(
                .notADatabase,
                "the tables are not those of this version of meshplan\(said)",
                "check the address and the version of meshplan"
            )
        case "42601", "0A000":
            return make(
                .notADatabase,
                "the server does not understand what is asked of it\(said)",
                "use PostgreSQL 12 or later, or a database that is compatible with it"
            )
        case "53100", "53200", "53400", "54000":
            return make(
                .diskFull,
                "the server has no room left\(said)",
                "ask its administrator to check disk, memory and limits; what was stored before is unharmed"
            )
        case "53300", "57P03":
            return make(.unreachable, "the server takes no connections now\(said)", "try again in a moment")
        case "23505":
            return make(.exists, "exists already", "choose another name")
        case "57014", "55P03", "25P03":
            return make(.inputOutput, "the server gave up\(said)", "run the command again")
        case "40001", "40P01":
            return make(
                .inputOutput,
                "others keep changing the same rows\(said)",
                "run the command again"
            )
        case .some(let state) where state.hasPrefix("XX"):
            return .damaged("the server's storage (\(error.message))", path: name)
        case .some(let state) where error.kind == .refused:
            return make(
                .inputOutput,
                "the server refused with \(state)\(said)",
                "check the server's log; what was stored before is unharmed"
            )
        default:
            guard error.kind == .connection else {
                return make(.inputOutput, "the server refused\(said)", "check the server's log")
            }
            return make(
                .unreachable,
                hasConnected ? "the connection was lost\(said)" : "cannot be reached\(said)",
                "check the address, the network and whether the server runs"
            )
        }
    }
}
