import MeshCore

extension ConfigurationServer {
    /// Publications.
    static let publicationHandlers: [(Opcode, Handler)] = [
        on(ConfigModelPublicationGet.self) { message, request, state in
            var publication: Publication?
            let status = request.act(on: &state, message.elementAddress, message.model) { state, position in
                guard ModelCatalogue.model(message.model)?.supportsPublication != false else {
                    return .invalidPublishParameters
                }
                publication = state[position].publication
                return .success
            }
            return ConfigModelPublicationStatus(message, status, publication)
        },
        on(ConfigModelPublicationSet.self) { message, request, state in
            var publication: Publication?
            let status = request.act(on: &state, message.elementAddress, message.model) { state, position in
                switch message.publishAddress.kind {
                case .unassigned: break
                case .virtual: return .invalidAddress
                case .unicast, .group:
                    guard let address = message.publishAddress.publishAddress else { return .invalidAddress }
                    publication = message.settings.publication(to: address)
                }
                return state.publish(position, publication, labelLimit: request.server.limits.labels)
            }
            return ConfigModelPublicationStatus(message, status, publication)
        },
        on(ConfigModelPublicationVirtualAddressSet.self) { message, request, state in
            let publication = message.settings.publication(to: .virtual(message.label))
            let status = request.act(on: &state, message.elementAddress, message.model) {
                $0.publish($1, publication, labelLimit: request.server.limits.labels)
            }
            return ConfigModelPublicationStatus(message, status, publication)
        },
    ]
}

extension Address {
    /// The address as one to publish to; nil if it is unassigned, or virtual, because a virtual one needs its label.
    fileprivate var publishAddress: PublishAddress? {
        if let unicast = UnicastAddress(rawValue: rawValue) { return .unicast(unicast) }
        return GroupAddress(rawValue: rawValue).map(PublishAddress.group)
    }
}

extension ConfigModelPublicationStatus {
    /// The status after a publication request. The publication is all zero on errors, as with other servers, and if
    /// there is none.
    fileprivate init(_ request: some ModelMessage, _ status: ConfigStatusCode, _ publication: Publication?) {
        let shown = status == .success ? publication : nil
        self.init(
            status: status,
            elementAddress: request.elementAddress,
            publishAddress: shown?.address.address ?? .unassigned,
            settings: shown.map(PublicationSettings.init) ?? .disabled,
            model: request.model
        )
    }
}
