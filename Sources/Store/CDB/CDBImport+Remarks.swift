import MeshCore

/// What the owner of a document should know although the document keeps to the format.
extension CDBImport {
    /// All remarks, once the whole network was read.
    ///
    /// - Parameter root: the JSON pointer of the object that holds the network.
    func remarks(on network: MeshNetwork, at root: String) -> [CDBDocument.Remark] {
        let nodes = Set(network.nodes.map(\.uuid))
        let absent = network.provisioners.enumerated().filter { !nodes.contains($0.element.uuid) }
        let provisioners = absent.map { index, provisioner in
            CDBDocument.Remark(
                pointer: "\(root)/provisioners/\(index)",
                text:
                    "no node has the UUID of \(provisioner.name), so nobody knows which address that program sends from; "
                    + "meshplan's provisioner avoids its ranges and 0001, which such programs often use"
            )
        }
        return provisioners + remarks + (isPartial ? [] : network.nodes.flatMap(missingKeys))
    }

    /// The keys that a node has or uses but that the document lacks.
    private func missingKeys(of node: Node) -> [CDBDocument.Remark] {
        let pointer = nodePointers[node.uuid] ?? ""
        let known = Set(netKeys)
        var found: [CDBDocument.Remark] = []
        for key in node.netKeys where !known.contains(key.index) {
            found.append(.init(pointer: "\(pointer)/netKeys", text: "there is no network key \(key.index) in the file"))
        }
        for key in node.appKeys where appKeys[key.index] == nil {
            found.append(
                .init(pointer: "\(pointer)/appKeys", text: "there is no application key \(key.index) in the file")
            )
        }
        for (index, element) in node.elements.enumerated() {
            for model in element.models {
                let name = "model \(CDBExport.text(model.identifier)) of element \(index)"
                for key in model.bindings where appKeys[key] == nil {
                    found.append(
                        .init(
                            pointer: pointer,
                            text: "\(name) is bound to application key \(key), which is not in the file"
                        )
                    )
                }
                guard let key = model.publication?.appKeyIndex, appKeys[key] == nil else { continue }
                found.append(
                    .init(
                        pointer: pointer,
                        text: "\(name) publishes with application key \(key), which is not in the file"
                    )
                )
            }
        }
        return found
    }
}
