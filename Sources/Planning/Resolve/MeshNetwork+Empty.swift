package import MeshCore

extension MeshNetwork {
    /// A network without nodes, in which every address is free: what a definition by itself is resolved against.
    package static var empty: MeshNetwork {
        let provisioner = DeviceUUID(rawValue: Octets16(high: 0, low: 1))
        return MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "",
            ivIndex: IVIndex(value: 0),
            netKeys: [],
            provisioners: [
                Provisioner(
                    name: "",
                    uuid: provisioner,
                    unicastRanges: [0x0001...0x7FFF],
                    groupRanges: [GroupAddress.assignable]
                )
            ],
            ownProvisioner: provisioner,
            nodes: []
        )
    }
}
