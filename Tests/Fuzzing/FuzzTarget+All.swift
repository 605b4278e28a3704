extension FuzzTarget {
    /// Every target, in the order of the layers.
    package static let all: [FuzzTarget] = [
        .controller, .advertising, .attributeProtocol, .clientFrame, .serverFrame, .hubRequest, .hubReply, .frameStream,
        .proxyPDU, .beacon,
        .networkPDU, .lowerTransportPDU, .segmentation,
        .accessMessage, .catalogueMessage, .composition, .provisioningPDU, .configurationDatabase, .definition,
        .vendorModels,
    ]

    /// The target with that name; nil if there is none.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
