import Catalogue
package import MeshCore

extension DeclarableStates {
    /// The setting that says what a node reported, for whoever writes a definition of what is there.
    ///
    /// - Parameters:
    ///   - form: The state.
    ///   - status: The parameters of the status.
    /// - Returns: nil if the states of the model have no such form, or no setting would ask for exactly this status:
    ///   its value is prohibited, or the node said that it does not have the property.
    package func setting(of form: ModelStateForm, shownBy status: [UInt8]) -> ModelStateSetting? {
        for state in states {
            let description = state.description
            guard description.statusMessage.opcode == form.statusOpcode, let message = description.setMessage,
                form.name == description.name || form.name.hasPrefix(description.name + "."),
                let reported = try? description.statusMessage.decode(status)
            else { continue }
            var values = FieldValues()
            for name in message.fields.map(\.name) where values[name] == nil { values[name] = reported[name] }
            guard let setting = try? state.setting(values), setting.state.form == form,
                setting.state.isShown(by: status)
            else { continue }
            return setting
        }
        return nil
    }
}
