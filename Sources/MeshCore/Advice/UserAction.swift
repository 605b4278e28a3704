/// What a user can do about a problem with the program itself: one command, or one option of a command. The command
/// line names it; here it has no name, only a meaning.
package enum UserAction: Hashable, Sendable {
    // MARK: The network

    /// Carry out what the definition asks for.
    case apply
    /// Read nodes back.
    ///
    /// - Parameter notSeenForDays: only those that were not heard for so many days; nil for all.
    case readBack(notSeenForDays: Int? = nil)
    /// See where nodes differ from their records.
    case showDrift
    /// Record what nodes reported where the definition says nothing.
    case acceptDrift
    /// See what speaks for and against a node's profiles of Networked Lighting Control.
    ///
    /// - Parameter node: its name.
    case showLighting(node: String)
    /// See the resources of the network.
    case showNetwork
    /// Give a subnet new keys.
    ///
    /// - Parameters:
    ///   - subnet: its name; nil for any.
    ///   - excluded: nodes that get none.
    case refreshKeys(subnet: String? = nil, excluding: [String] = [])
    /// Leave a node out; nil for any.
    case exclude(node: String? = nil)
    /// Record that a node was reset; nil for any.
    case recordReset(node: String? = nil)
    /// Give a node a new DeviceKey, addresses or composition.
    case reprovision
    case giveAddresses
    /// Choose new addresses, and with them the new composition, where a node is reprovisioned.
    case newAddresses
    /// Allow what a guard refuses.
    ///
    /// - Parameter name: the name of the guard.
    case allow(guard: String)
    /// Take over the IV index that the network is at.
    case recoverIVIndex
    case stateIVIndex
    /// Apply, and offer static values once more that others may know.
    case applyAgain
    /// See which devices and proxies advertise.
    case scan
    /// Assign devices to the places of the definition.
    case assign
    /// Give the place of a broken node to another device; nil for any.
    case replace(node: String? = nil)
    /// Remove the nodes with a tag or name, and what only they use; nil for any.
    ///
    /// - Parameter resets: whether they are reset, too.
    case removeTagged(String? = nil, resets: Bool)
    /// Have this machine and its files looked at.
    case examine
    /// Count over how many hops nodes are reached.
    case countHops
    case chooseProxy

    // MARK: The database

    case begin
    /// Create the tables of a shared database at an address.
    case createStore(String)
    /// Take over a network from another tool.
    case importNetwork
    /// Write the network for another tool.
    case exportNetwork
    /// Put a copy in the place of the database.
    case replaceDatabase
    /// Merge two copies of a database.
    case mergeDatabases
    /// Remove a resource from the database; nil for any.
    case remove(resource: String? = nil)
    case rename
    /// See which secrets open the database.
    case listKeySlots
    /// End the lock with that number.
    case unlock(Int64)

    // MARK: Gateways

    /// Make the files by which a gateway and its clients know each other.
    case pair
    case pairAgain
    /// Make a file for one more client.
    case pairClient
    case pairClientAgain
    /// Reach the mesh over that address, or a pattern of one.
    case reach(String)
    /// Let in only clients of a pairing.
    case serveSecured
    case deny
    case denyListed
    /// Open fewer links through one gateway.
    case limitLinks
    /// Run a simulator that listens at an address.
    case simulate(at: String)
    case runGateway
    /// Run a gateway that listens at an address with the files of a pairing.
    case serve(at: String)

    // MARK: Files

    case devicesFile
    case secretsFile
}

extension UserAction: CustomStringConvertible {
    /// The remedy in words that name no command.
    package var description: String {
        switch self {
        case .apply: "applying the definition"
        case .readBack(notSeenForDays: nil): "reading the nodes back"
        case .readBack(notSeenForDays: let days?): "reading back the nodes that were not heard for \(days) days"
        case .showDrift: "the list of drift"
        case .showLighting: "the table of profiles"
        case .acceptDrift: "accepting what the nodes report"
        case .showNetwork: "the list of resources"
        case .refreshKeys(let subnet, let excluded):
            "a key refresh" + (subnet.map { " of subnet \($0)" } ?? "")
                + (excluded.isEmpty ? "" : " without \(excluded.joined(separator: ", "))")
        case .exclude(let node): "excluding \(node ?? "the node")"
        case .recordReset(let node): "recording the reset of \(node ?? "the node")"
        case .reprovision: "reprovisioning the node"
        case .giveAddresses: "reprovisioning the node with new addresses"
        case .newAddresses: "new addresses"
        case .allow(let name): "allow \(name)"
        case .recoverIVIndex: "recovering the IV index"
        case .stateIVIndex: "stating the IV index"
        case .applyAgain: "offering the value once more"
        case .scan: "a scan"
        case .assign: "the assignment of devices"
        case .replace(let node): "replacing \(node ?? "the node")"
        case .removeTagged(let tag, let resets):
            (resets ? "resetting and removing" : "removing") + " \(tag ?? "the nodes with a tag")"
        case .examine: "an examination of the machine"
        case .countHops: "counting the hops"
        case .chooseProxy: "the choice of a proxy"
        case .begin: "a new network"
        case .createStore(let address): "the creation of tables at \(address)"
        case .importNetwork: "an import"
        case .exportNetwork: "an export"
        case .replaceDatabase: "the replacement of the database"
        case .mergeDatabases: "a merge"
        case .remove(let resource): "removing \(resource ?? "it") from the database"
        case .rename: "renaming in the database"
        case .listKeySlots: "the list of key slots"
        case .unlock(let number): "the release of lock \(number)"
        case .pair: "a pairing"
        case .pairAgain: "the renewal of the pairing"
        case .pairClient: "the pairing of a client"
        case .pairClientAgain: "the renewal of the client's file"
        case .reach(let address): "the address \(address)"
        case .serveSecured: "certificates"
        case .deny: "denying it"
        case .denyListed: "the list of denied clients"
        case .limitLinks: "a limit on connections"
        case .simulate(let address): "a simulator at \(address)"
        case .runGateway: "a gateway"
        case .serve(let address): "a gateway at \(address) with the files of a pairing"
        case .devicesFile: "the file of devices"
        case .secretsFile: "the file of secrets"
        }
    }
}
