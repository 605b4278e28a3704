import DefinitionModel
import MeshCore
import Planning

// The one place where advice gets the names of commands and options. A test parses each of them.

extension Advice {
    /// The advice as the user reads it.
    var worded: String { text(\.words) }
}

extension UserAction {
    /// The command line or option to type. Words in capitals stand for what only the user knows.
    var words: String {
        switch self {
        case .apply: "meshplan apply"
        case .readBack(notSeenForDays: nil): "meshplan refresh"
        case .readBack(notSeenForDays: let days?): "meshplan refresh --older-than \(days)d"
        case .showDrift: "meshplan drift"
        case .showLighting(let node): "meshplan show \("node.\(node)".shellWord) --nlc"
        case .acceptDrift: "--accept"
        case .showNetwork: "meshplan show"
        case .refreshKeys(let subnet, let excluded):
            (["meshplan keys refresh", subnet?.shellWord ?? "SUBNET"] + excluded.map { "--exclude \($0.shellWord)" })
                .joined(separator: " ")
        case .exclude(let node): "--exclude" + (node.map { " " + $0.shellWord } ?? "")
        case .recordReset(let node): "meshplan node was-reset \(node?.shellWord ?? "NAME")"
        case .reprovision: "meshplan reprovision"
        case .giveAddresses: "meshplan reprovision NODE --address"
        case .newAddresses: "--address"
        case .allow(let name): "--allow \(name)"
        case .recoverIVIndex: "meshplan network iv recover"
        case .stateIVIndex: "meshplan network iv set INDEX"
        case .applyAgain: "meshplan apply --again"
        case .scan: "meshplan scan"
        case .assign: "meshplan assign"
        case .replace(let node): "meshplan replace \(node?.shellWord ?? "NODE")"
        case .removeTagged(let tag, let resets):
            "meshplan plan --remove \(tag?.shellWord ?? "TAG=VALUE")" + (resets ? " --reset" : "")
        case .examine: "meshplan doctor"
        case .countHops: "meshplan map --via BEARER"
        case .chooseProxy: "--proxy"
        case .begin: "meshplan init"
        case .createStore(let address): "meshplan init --state \(address)"
        case .importNetwork: "meshplan import"
        case .exportNetwork: "meshplan export"
        case .replaceDatabase: "meshplan state push"
        case .mergeDatabases: "meshplan db merge"
        case .remove(let resource): "meshplan state rm" + (resource.map { " " + $0.shellWord } ?? "")
        case .rename: "meshplan state mv"
        case .listKeySlots: "meshplan state key list"
        case .unlock(let number): "meshplan state unlock \(number)"
        case .pair: "meshplan gateway pair"
        case .pairAgain: "meshplan gateway pair NAME --renew"
        case .pairClient: "meshplan gateway pair NAME --client LABEL"
        case .pairClientAgain: "meshplan gateway pair NAME --client LABEL --renew"
        case .reach(let address): "--via \(address)"
        case .serveSecured: "--certificate"
        case .deny: "--deny"
        case .denyListed: "--denied"
        case .limitLinks: "--connections"
        case .simulate(let address): "meshplan sim --listen \(address)"
        case .runGateway: "meshplan gateway"
        case .serve(let address): "meshplan gateway --listen \(address) --certificate NAME.gateway.pem"
        case .devicesFile: "--devices"
        case .secretsFile: "--secrets"
        }
    }
}

extension UserAction {
    /// Whether it ends a lock.
    var isUnlocking: Bool { if case .unlock = self { true } else { false } }
}

extension PlanSelection {
    var options: [String] {
        nodes.map { "--node \($0)" } + groups.map { "--group \($0)" } + subnets.map { "--subnet \($0)" }
            + tags.map { "--tag \($0.name)=\($0.value)" } + excluded.map { "--exclude \($0)" }
    }
}
