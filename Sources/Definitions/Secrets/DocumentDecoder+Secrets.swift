import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// A document with secrets of devices: `devices`, a mapping by UUID or a list.
    mutating func decodeSecrets(into list: inout SecretsList) {
        guard !tree.nodes.isEmpty else { return }
        guard let fields = fields(0, .secretsFile, "a mapping with `devices`", blamed: 0) else { return }
        for field in fields where field.keyword == .devices {
            if tree.nodes[field.value].kind == .sequence {
                for entry in self.list(field.value, "a list of devices") ?? ListEntries() {
                    decodeListedSecrets(entry, into: &list)
                }
                continue
            }
            for entry in entries(field.value, "a mapping of devices by UUID, or a list of them,") ?? [] {
                guard let uuid = secret(entry.key, "a UUID", SecretsTable.uuid) else { continue }
                guard let fields = self.fields(entry.value, .deviceSecrets, "a mapping", blamed: entry.key) else {
                    continue
                }
                add(uuid, fields, to: &list)
            }
        }
    }

    private mutating func decodeListedSecrets(_ node: Int, into list: inout SecretsList) {
        guard let fields = fields(node, .listedSecrets, "a device", blamed: node) else { return }
        guard let field = fields.first(where: { $0.keyword == .uuid }),
            let uuid = secret(field.value, "a UUID", SecretsTable.uuid)
        else { return }
        add(uuid, fields, to: &list)
    }

    private mutating func add(_ uuid: Located<DeviceUUID>, _ fields: MappingEntries, to list: inout SecretsList) {
        var secrets = DeviceSecrets()
        for field in fields {
            switch field.keyword {
            case .staticValue:
                guard let value = secret(field.value, "a static value", SecretDigits.staticValue) else { return }
                secrets.staticValue = value.value
            case .publicKey:
                guard let key = secret(field.value, "a public key", SecretDigits.publicKey) else { return }
                secrets.publicKey = key.value
            default: break
            }
        }
        list.add(uuid, secrets, into: &diagnostics)
    }

    /// The value of a scalar whose text no message repeats.
    mutating func secret<Value>(
        _ node: Int,
        _ expected: String,
        _ parse: (String) throws(SecretProblem) -> Value
    ) -> Located<Value>? {
        guard let text = text(node, expected) else { return nil }
        do {
            return Located(try parse(text), at: location(node))
        } catch {
            report(error.message, at: node, hint: error.hint, concealsSource: true)
            return nil
        }
    }
}
