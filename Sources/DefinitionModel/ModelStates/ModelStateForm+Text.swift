package import Catalogue
package import MeshCore

extension ModelStateForm {
    /// What a status says, in the words of definitions; the octets if no definition could ask for it, or if nobody has
    /// described the model.
    ///
    /// - Parameters:
    ///   - status: The parameters of the status.
    ///   - models: The models that are known.
    package func text(of status: [UInt8], in models: KnownModels = .sig) -> String {
        if register != nil { return (try? StoredContents(status).text) ?? "0x" + Hexadecimal.encode(status) }
        return DeclarableStates(of: server, in: models).setting(of: self, shownBy: status)?.text
            ?? "0x" + Hexadecimal.encode(status)
    }
}
