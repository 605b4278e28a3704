import MeshCore
import Planning

extension ProvisioningOrder {
    /// How to provision a device that told its capabilities, with the secrets and the person available.
    func choice(
        for capabilities: ProvisioningCapabilities,
        at desk: OutOfBandDesk
    ) throws(ProvisioningProblem) -> ProvisioningChoice {
        var material = OutOfBandMaterial(canReadOutput: desk.isAttended, canEnterInput: desk.isAttended)
        do throws(ExecutionContext.KeyError) {
            material.staticValue = try desk.staticValue(self)
            material.publicKey = try desk.publicKey(self)
        } catch {
            throw .secretUnavailable(error.message)
        }
        var policy = ProvisioningPolicy(
            requiresAuthentication: requiresAuthentication,
            requiresPublicKeyOutOfBand: publicKeyFile != nil
        )
        if let algorithm { policy.algorithms = [algorithm] }
        if let method { policy.kinds = [method] }
        do throws(ProvisioningPolicyError) {
            return try policy.choice(for: capabilities, with: material)
        } catch {
            throw .policy(error)
        }
    }
}
