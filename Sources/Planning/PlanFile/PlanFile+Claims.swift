import MeshCore

/// Encodes claims. A resource of the network is an octet 0 for a NetKey or 1 for an AppKey, each with an index of two
/// octets, or 2 for a group with its address. Claims are a list of resources, and a list of nodes with a list of models
/// each.
extension PlanWriter {
    mutating func write(_ resource: NetworkResource) {
        switch resource {
        case .netKey(let index):
            bytes.write(UInt8(0))
            bytes.write(index.rawValue)
        case .appKey(let index):
            bytes.write(UInt8(1))
            bytes.write(index.rawValue)
        case .group(let address):
            bytes.write(UInt8(2))
            write(address)
        }
    }

    mutating func write(_ claims: Claims) {
        write(claims.resources) { $0.write($1) }
        write(claims.nodes) { writer, claim in
            writer.bytes.write(claim.node.rawValue.bytes)
            writer.write(claim.models) { $0.write($1) }
        }
    }

    private mutating func write(_ claim: ModelClaim) {
        write(claim.address)
        write(claim.bindings) { $0.bytes.write($1.rawValue) }
        write(claim.subscriptions) { $0.write($1) }
        write(claim.publication)
    }
}

extension PlanReader {
    mutating func networkResource() throws(DecodeError) -> NetworkResource {
        switch try bytes.readUInt8() {
        case 0: return .netKey(try keyIndex())
        case 1: return .appKey(try keyIndex())
        case 2: return .group(try subscriptionAddress())
        case let other: throw .prohibited(field: "resource", value: UInt64(other))
        }
    }

    mutating func claims() throws(DecodeError) -> Claims {
        var claims = Claims()
        claims.resources = try list { (reader) throws(DecodeError) in try reader.networkResource() }
        claims.nodes = try list { (reader) throws(DecodeError) in
            NodeClaim(
                node: try reader.uuid(),
                models: try reader.list { (reader) throws(DecodeError) in try reader.modelClaim() }
            )
        }
        return claims
    }

    private mutating func modelClaim() throws(DecodeError) -> ModelClaim {
        var claim = ModelClaim(address: try model())
        claim.bindings = try applicationKeys()
        claim.subscriptions = try groups()
        claim.publication = try flag("claimed publication")
        return claim
    }
}
