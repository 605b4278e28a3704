import MeshCore
import Testing

@testable import MeshplanCLI

@Suite("Text of authentication")
struct AuthenticationTextTests {
    @Test(
        "a claim is worth what its algorithm makes of it",
        arguments: [
            (ProvisioningAlgorithm.cmacAES128, "claimed only: a device that knows nothing can answer so"),
            (.hmacSHA256, "claimed only: whoever learns or guesses its value can answer so"),
        ]
    )
    func claims(algorithm: ProvisioningAlgorithm, words: String) {
        let authentication = NodeAuthentication(
            algorithm: algorithm,
            kind: .staticOOB,
            isPublicKeyOutOfBand: false,
            assurance: .claimed
        )
        #expect(authentication.doubt == ", " + words)
        #expect(authentication.text == "\(words) (Static OOB, \(algorithm.name))")
    }
}
