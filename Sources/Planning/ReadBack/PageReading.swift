package import MeshCore

/// Reads a node's Composition Data pages beside page 0, and its Models Metadata. It is a value machine that says what
/// to ask next and processes the answers.
///
/// A node answers with its largest page that is not above the requested one (Mesh Protocol 4.4.1.2.3). So the highest
/// number is asked for first, then the number below the page that arrived, down to page 0. A node with the Large
/// Composition Data Server is asked for parts of pages (1.1, 4.4.21), any other node for as much of a page as fits a
/// message.
package struct PageReading: Hashable, Sendable {
    /// One request.
    package enum Part: Hashable, Sendable {
        /// Config Composition Data Get.
        case composition(page: UInt8)
        case largeComposition(page: UInt8, offset: UInt16)
        case modelsMetadata(page: UInt8, offset: UInt16)
    }

    /// The answer of a node: a page or a part of it.
    package struct Answer: Hashable, Sendable {
        package var page: UInt8
        /// The index of the first octet.
        package var offset: UInt16
        /// The size of the whole page in octets.
        package var totalSize: Int
        /// The octets from that index on.
        package var data: [UInt8]

        package init(page: UInt8, offset: UInt16, totalSize: Int, data: [UInt8]) {
            self.page = page
            self.offset = offset
            self.totalSize = totalSize
            self.data = data
        }

        package init(page: UInt8, data: [UInt8]) {
            self.init(page: page, offset: 0, totalSize: data.count, data: data)
        }
    }

    /// What to ask next; nil if nothing is left.
    package private(set) var next: Part?
    /// The pages beside page 0 that were read.
    package private(set) var compositionPages: [UInt8: [UInt8]] = [:]
    /// The pages of Models Metadata that were read; nil for a node without the Large Composition Data Server.
    package private(set) var modelsMetadata: [UInt8: [UInt8]]?

    private var assemblyPage: UInt8 = 0
    private var assemblySize = 0
    private var octets: [UInt8] = []
    /// How often a page has changed while it was read.
    private var restarts = 0

    private static let mostRestarts = 3

    /// Reads a node with a known composition.
    package init(of node: Node) {
        let isLarge = node.hasPrimary(.largeCompositionDataServer)
        next = isLarge ? .largeComposition(page: .max, offset: 0) : .composition(page: .max)
        if isLarge { modelsMetadata = [:] }
    }

    /// Processes the answer to ``next``.
    package mutating func record(_ answer: Answer) {
        switch next {
        case .composition(let asked), .largeComposition(page: let asked, offset: _):
            // Page 0 is the lowest, and already known.
            guard answer.page > 0, answer.page <= asked else { return endComposition() }
        case .modelsMetadata(page: let asked, offset: _):
            guard answer.page <= asked else {
                next = nil
                return
            }
        case nil: return
        }
        guard add(answer) else { return }
        store()
    }

    /// The node refuses, or its answer is impossible. The rest of these pages is skipped.
    package mutating func refuse() {
        if case .modelsMetadata = next { next = nil } else { endComposition() }
    }

    /// Adds a part to the page that is being assembled.
    ///
    /// - Returns: whether the page is complete.
    private mutating func add(_ answer: Answer) -> Bool {
        if answer.offset == 0 {
            (assemblyPage, assemblySize, octets) = (answer.page, answer.totalSize, answer.data)
        } else if answer.page == assemblyPage, answer.totalSize == assemblySize, Int(answer.offset) == octets.count {
            octets += answer.data
        } else {
            // The page has changed.
            restart()
            return false
        }
        if octets.count >= assemblySize { return true }
        guard !answer.data.isEmpty, let offset = UInt16(exactly: octets.count) else {
            refuse()
            return false
        }
        ask(answer.page, from: offset)
        return false
    }

    private mutating func restart() {
        restarts += 1
        guard restarts <= Self.mostRestarts else { return refuse() }
        ask(assemblyPage, from: 0)
    }

    private mutating func ask(_ page: UInt8, from offset: UInt16) {
        switch next {
        case .composition: next = .composition(page: page)
        case .largeComposition: next = .largeComposition(page: page, offset: offset)
        case .modelsMetadata: next = .modelsMetadata(page: page, offset: offset)
        case nil: break
        }
    }

    /// Keeps a complete page, and goes on with the pages below it.
    private mutating func store() {
        let page = assemblyPage
        if case .modelsMetadata = next {
            modelsMetadata?[page] = octets
            if page == 0 {
                next = nil
                return
            }
        } else {
            compositionPages[page] = octets
            if page == 1 { return endComposition() }
        }
        ask(page - 1, from: 0)
    }

    private mutating func endComposition() {
        next = modelsMetadata == nil ? nil : .modelsMetadata(page: .max, offset: 0)
    }
}
