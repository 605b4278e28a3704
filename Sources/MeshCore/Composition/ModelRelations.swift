/// Which models of a node extend one another, so that they may share one Subscription List.
///
/// Models on one element that extend one another, directly or through others, share one instance of the list. On
/// different elements each has its own (Mesh Protocol 2.3.6, 4.2.4). Not every stack does this, and the composition
/// does not tell which one does: see ``ListSharing``.
package enum ModelRelations {
    /// The models of an element that have Subscription Lists, in groups that extend one another on that element. Groups
    /// are in the order of their first models, models in the order given.
    ///
    /// - Parameters:
    ///   - elements: The models of all elements of the node, in the order of its composition.
    ///   - page1: Composition Data page 1, which also covers vendor models. If it is nil or does not match the
    ///     elements, the catalogue's definitions of the models count.
    package static func extensionGroups(
        onElement index: Int,
        of elements: [[ModelIdentifier]],
        page1: [UInt8]?
    ) -> [[ModelIdentifier]] {
        guard elements.indices.contains(index) else { return [] }
        let models = elements[index]
        let told = page1.flatMap { try? relations(in: $0, of: elements) }
        let groups = told.map { connected(models, by: $0[index]) } ?? ModelCatalogue.subscriptionListGroups(of: models)
        return groups.compactMap { group in
            let subscribing = group.filter { ModelCatalogue.model($0)?.supportsSubscription != false }
            return subscribing.isEmpty ? nil : subscribing
        }
    }

    /// For each element, the pairs of models on it of which one extends the other, as positions.
    ///
    /// For every element, page 1 has the numbers of SIG models (1) and of vendor models (1). An octet for every model
    /// follows: whether a Corresponding Group ID follows (bit 0), whether items are long (bit 1), the number of items
    /// (bits 2 to 7). An item is the offset of an element and the position of a model there: 3 and 5 bits, or an octet
    /// each (Mesh Protocol 4.2.2.2).
    ///
    /// - Throws: ``DecodeError`` if the page does not match these elements.
    private static func relations(
        in page1: [UInt8],
        of elements: [[ModelIdentifier]]
    ) throws(DecodeError) -> [[(Int, Int)]] {
        var reader = ByteReader(page1)
        var relations: [[(Int, Int)]] = []
        for models in elements {
            let counts = (try reader.readUInt8(), try reader.readUInt8())
            guard Int(counts.0) + Int(counts.1) == models.count, models.count(where: \.isVendor) == Int(counts.1) else {
                throw .prohibited(field: "number of models", value: UInt64(counts.0))
            }
            var pairs: [(Int, Int)] = []
            for model in models.indices {
                let header = try reader.readUInt8()
                if header & 1 != 0 { _ = try reader.readUInt8() }
                for _ in 0..<header >> 2 {
                    let first = try reader.readUInt8()
                    // An offset is signed. Only models of the same element matter here.
                    let isSameElement = header & 2 != 0 ? first == 0 : first & 7 == 0
                    let base = header & 2 != 0 ? Int(try reader.readUInt8()) : Int(first >> 3)
                    if isSameElement, models.indices.contains(base) { pairs.append((model, base)) }
                }
            }
            relations.append(pairs)
        }
        try reader.expectEnd()
        return relations
    }

    private static func connected(_ models: [ModelIdentifier], by pairs: [(Int, Int)]) -> [[ModelIdentifier]] {
        // The lowest position that each model is connected with. Pairs are few.
        var roots = Array(models.indices)
        for (first, second) in pairs where roots[first] != roots[second] {
            let (low, high) = (min(roots[first], roots[second]), max(roots[first], roots[second]))
            for index in roots.indices where roots[index] == high { roots[index] = low }
        }
        return models.indices.filter { roots[$0] == $0 }.map { root in
            models.indices.filter { roots[$0] == root }.map { models[$0] }
        }
    }
}

extension Node {
    /// The models of an element in groups that may each share one Subscription List; see
    /// ``ModelRelations/extensionGroups(onElement:of:page1:)``.
    package func extensionGroups(onElement index: Int) -> [[ModelIdentifier]] {
        ModelRelations.extensionGroups(
            onElement: index,
            of: elements.map { $0.models.map(\.identifier) },
            page1: compositionPages?[1]
        )
    }
}
