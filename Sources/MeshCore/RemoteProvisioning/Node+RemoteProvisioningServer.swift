extension Node {
    /// Whether its composition, as far as it is known, has a Remote Provisioning Server. Only the primary element may
    /// have one (Mesh Protocol 1.1, 4.4.5.1).
    package var hasRemoteProvisioningServer: Bool {
        elements.first?.models.contains { $0.identifier == .remoteProvisioningServer } ?? false
    }
}
