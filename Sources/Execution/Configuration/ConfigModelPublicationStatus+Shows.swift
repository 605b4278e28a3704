import MeshCore
import Planning

extension ConfigModelPublicationStatus {
    /// Whether the node's publication matches. A node shows the hash of a label. Without an address the other fields
    /// mean nothing.
    func shows(_ publication: Publication?) -> Bool {
        guard let publication else { return publishAddress == .unassigned }
        return publishAddress == publication.address.address && settings == PublicationSettings(publication)
    }
}
