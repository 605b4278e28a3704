import Execution
import MeshCore
import Store
import SystemLayer

extension ProvisioningAssurance {
    /// What a claim is worth, where the word alone would say too little.
    static let claimedWords = "claimed only: a device that knows nothing can answer so"

    /// What remains in doubt, as the end of a line; empty if nothing does.
    var doubt: String {
        switch self {
        case .nothing: ", not authenticated"
        case .claimed: ", \(Self.claimedWords)"
        case .authenticated: ""
        }
    }
}

extension AuthenticationMethod.Kind {
    /// Its word in definitions and events.
    var identifier: String {
        switch self {
        case .noOOB: "none"
        case .staticOOB: "static"
        case .outputOOB: "output"
        case .inputOOB: "input"
        }
    }
}

extension NodeAuthentication {
    /// The assurance, the algorithm, the method, and whether the public key was read out of band.
    var json: JSONValue {
        .object([
            "level": assurance.rawValue.json, "algorithm": algorithm.name.json, "method": kind.identifier.json,
            "public_key_out_of_band": .bool(isPublicKeyOutOfBand),
        ])
    }

    /// The assurance and what it rests on, as one line.
    var text: String {
        let level =
            switch assurance {
            case .nothing: "not authenticated"
            case .claimed: ProvisioningAssurance.claimedWords
            case .authenticated: "authenticated"
            }
        let key = isPublicKeyOutOfBand ? ", public key out of band" : ""
        return "\(level) (\(kind.name)\(key), \(algorithm.name))"
    }
}

extension HMACEvidence {
    /// What is odd about a device without HMAC-SHA256, after its name.
    var text: String {
        let reason =
            switch self {
            case .itself: "which it offered before"
            case .product: "which other nodes of its product know"
            }
        return
            "does not offer BTM_ECDH_P256_HMAC_SHA256_AES_CCM, \(reason): it may be another device that passes for it."
    }

    /// Its word in events.
    var identifier: String {
        switch self {
        case .itself: "itself"
        case .product: "product"
        }
    }
}
