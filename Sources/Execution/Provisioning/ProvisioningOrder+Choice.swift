import MeshCore
import Planning

extension ProvisioningOrder {
    /// How to provision a device that told its capabilities, with the secrets and the person available.
    ///
    /// - Parameters:
    ///   - memory: what is remembered of the device.
    ///   - allowsUsedValue: whether its static value may be given away once more.
    func choice(
        for capabilities: ProvisioningCapabilities,
        asking prompter: OutOfBandPrompter,
        memory: DeviceMemory?,
        allowsUsedValue: Bool
    ) throws(ProvisioningProblem) -> ProvisioningChoice {
        var material = OutOfBandMaterial(canReadOutput: prompter.isAttended, canEnterInput: prompter.isAttended)
        do throws(ExecutionContext.KeyError) {
            material.staticValue = try prompter.staticValue(self)
            material.publicKey = try prompter.publicKey(self)
        } catch {
            throw .secretUnavailable(error.message)
        }
        if let memory, let value = material.staticValue { material.isStaticValueUsed = memory.isUsed(value) }
        var policy = ProvisioningPolicy(
            assurance: assurance,
            allowsUsedValue: allowsUsedValue,
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
