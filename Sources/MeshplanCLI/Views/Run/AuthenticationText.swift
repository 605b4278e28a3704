import Execution
import MeshCore
import Store
import SystemLayer

extension ProvisioningAssurance {
    /// What any claim is worth, where the word alone would say too little.
    static let claimedWords = "claimed only: another device can answer so"
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
    /// What a claim is worth. Under AES-CMAC an answer can be made up, under HMAC-SHA256 it takes the value.
    private var claimedWords: String {
        switch algorithm {
        case .cmacAES128: "claimed only: a device that knows nothing can answer so"
        case .hmacSHA256: "claimed only: whoever learns or guesses its value can answer so"
        }
    }

    /// What remains in doubt, as the end of a line; empty if nothing does.
    var doubt: String {
        switch assurance {
        case .nothing: ", not authenticated"
        case .claimed: ", \(claimedWords)"
        case .authenticated: ""
        }
    }

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
            case .claimed: claimedWords
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
            case .productFile: "which its product knows by its file"
            }
        return
            "does not offer BTM_ECDH_P256_HMAC_SHA256_AES_CCM, \(reason): it may be another device that passes for it."
    }

    /// Its word in events.
    var identifier: String {
        switch self {
        case .itself: "itself"
        case .product: "product"
        case .productFile: "product_file"
        }
    }
}
