import DefinitionModel
import Definitions
import MeshCore
import Store

extension FuzzTarget {
    /// Configuration databases in JSON.
    package static let configurationDatabase = FuzzTarget(
        "cdb-json",
        "configuration databases in JSON, read and written",
        shape: .text,
        maximumSize: 65_536,
        seeds: [CDBExport.write(sampleNetwork)],
        dictionary: [
            "{", "}", "[", "]", "null", "true", "-0", "1e999", "\"\\uD800\"", "\"\\u0000\"", "\"7FFF\"", "\"FFFF\"",
            "0", "1",
            "4095", "4096", "65535", "-1", "2.5", "18446744073709551616", "\"nodes\": [", "\"models\": []",
            "\"elements\": []", "\"publish\": {}", "\"subscribe\": [\"C000\"]", "\"bind\": [0, 0]",
            "\"excluded\": true",
        ].map { Array($0.utf8) },
        run: examineDatabase
    )

    private static func examineDatabase(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let document: CDBDocument
        do {
            let inspection = try CDBImport.inspect(input)
            for repair in inspection.repairs { trace.note(repair.reason.filter { !$0.isNumber }) }
            document = try inspection.accepted()
        } catch {
            trace.note(String(describing: error).prefix(60).filter { !$0.isNumber })
            return
        }
        trace.note([document.network.nodes.count, document.network.groups.count])
        let written = CDBExport.write(document.network, extras: document.extras)
        let again = try demandSuccess("a database that was written cannot be read") { try CDBImport.read(written) }
        try demand(again.network == document.network, "a network changes when it is written")
        try demand(
            CDBExport.write(again.network, extras: again.extras) == written,
            "a database that was written changes when it is written again"
        )
    }

    private static let sampleNetwork: MeshNetwork = {
        let own = DeviceUUID(rawValue: Octets16(high: 1, low: 1))
        func node(_ number: UInt16) -> Node? {
            guard let address = UnicastAddress(rawValue: number) else { return nil }
            return Node(
                uuid: DeviceUUID(rawValue: Octets16(high: 2, low: UInt64(number))),
                name: "node \(number)",
                unicastAddress: address,
                deviceKey: KeyMaterial(Octets16(high: 3, low: UInt64(number))),
                netKeys: [NodeKey(index: .primary, isUpdated: false)]
            )
        }
        return MeshNetwork(
            uuid: Octets16(high: 9, low: 9),
            name: "sample",
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "primary", key: KeyMaterial(Octets16(high: 5, low: 5)))],
            provisioners: [],
            ownProvisioner: own,
            nodes: [node(1), node(5)].compactMap { $0 }
        )
    }()

    /// Definitions in YAML.
    package static let definition = FuzzTarget(
        "yaml",
        "definitions in YAML",
        shape: .text,
        maximumSize: 16_384,
        seeds: [Array(sampleDefinition.utf8)],
        dictionary: [
            ": ", "- ", "&a ", "*a", "<<: *a", "!!str ", "|\n", ">-\n", "---\n", "...\n", "\"\\x00\"", "'", "\"", "{",
            "}", "[",
            "]", "? ", "# ", "0x", "0xC000", "0xFFFF", "0b1", "1e3", "~", "null", "*", "[a-z]*", "\t", "\u{FEFF}",
            "\u{85}",
            "publish: ", "keys: ", "nodes:", "network: ", "version: 1", "10s", "100%",
            "states: ", "properties: ", "range: ", "schedules: ", "light-control-time-run-on", "hex:00", "[monday]",
        ].map { Array($0.utf8) },
        run: examineDefinition
    )

    private static func examineDefinition(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: input)])
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        trace.note(definitions.count)
        try demand(diagnostics.count <= 303, "\(diagnostics.count) diagnostics")
        let lines = input.count { $0 == 0x0A || $0 == 0x0D || $0 == 0x85 || $0 == 0xA8 || $0 == 0xA9 } + 1
        for diagnostic in diagnostics {
            trace.note(diagnostic.message.filter { !$0.isNumber }.split(separator: "`").first ?? "")
            let places = [diagnostic.location].compactMap { $0 } + diagnostic.related.map(\.location)
            for place in places {
                try demand(place.file == 0, "a place in a file that does not exist")
                try demand((1...lines + 1).contains(Int(place.line)), "line \(place.line) of \(lines)")
                try demand((1...input.count + 1).contains(Int(place.column)), "column \(place.column)")
            }
            try demand(!diagnostic.message.isEmpty && diagnostic.length >= 1, "a diagnostic without text or length")
        }
    }

    private static let sampleDefinition = """
        version: 1
        network: house
        subnets:
          home:  { index: 0 }
          guest: { index: 1 }
        application_keys:
          light: { subnet: home, index: 0 }
          door:  { subnet: guest }
        groups:
          room:  { address: 0xC023 }
          bed:   { address: 0xC024, parent: room }
          flap:  { label: ea57d9f1975d4ebda78a37d189ac58f4 }
        profiles:
          lamp: &lamp
            subnets: [home, guest]
            ttl: 5
            features: { relay: on }
            relay_retransmit: { count: 3, interval: 20ms }
            elements:
              0:
                generic-onoff-server: { keys: [light] }
                light-lightness-server: { states: { range: [5%, 100%], default: 80% } }
                light-lc-server: { states: { mode: on, properties: { light-control-time-run-on: 10m } } }
                scheduler-server:
                  states: { schedules: { 3: { hour: 8, minute: 30, weekdays: [monday], action: on } } }
                0x003F:0x002A:
                  keys: [light]
                  publish: { to: flap, key: light, ttl: 3, period: 10s, retransmit: { count: 2, interval: 150ms } }
        nodes:
          switch:
            uuid: 559B8C97-32A3-45B6-9149-4865D288CBF3
            address: 0x0002
            tags: { room: bedroom, kind: switch }
          lamp-1:
            uuid: 345E8227-3DD3-45CC-4149-4865D2334545
            profile: lamp
            protect: true
        subscriptions:
          - groups: [room]
            models: [generic-onoff-server]
            nodes: lamp-*

        """
}
