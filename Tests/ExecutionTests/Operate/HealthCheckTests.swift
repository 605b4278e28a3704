import Catalogue
import Execution
import MeshCore
import Simulator
import Store
import TestSupport
import Testing

@Suite("Faults of nodes")
struct HealthCheckTests {
    private func check(
        _ target: String,
        in network: MeshNetwork,
        _ edit: (inout HealthWishes) -> Void = { _ in }
    ) throws -> HealthCheck {
        var wishes = HealthWishes()
        edit(&wishes)
        let resolved = try TargetResolver(network).resolve(OperatingTarget(target))
        return try HealthCheck(resolved, wishes, in: network)
    }

    private func run(_ check: HealthCheck, at site: Site) throws -> [HealthFinding] {
        let (findings, ending) = try site.execute { $0.operate(with: check.needs) { check.run(in: $0) } }
        #expect(ending == .completed)
        return try required(findings)
    }

    private func faults(_ finding: HealthFinding) -> [String]? { finding.faults?.faults.map(\.text) }

    @Test("Registered faults stay after a fault is gone; vendors' faults have their number and company")
    func registered() throws {
        let site = try Site(network: LitHouse.network(lamps: 3))
        try site.world.toggleFault(uuid(1), "overheat")
        try site.world.toggleFault(uuid(1), "overheat")
        try site.world.toggleFault(uuid(1), "0x81")
        try site.world.toggleFault(uuid(2), "0x40")
        let check = try check("lamp-*", in: site.network)
        #expect(try check.needs == [OwnModel(.sig(0x0003), key: LitHouse.lightKey())])
        var told: [Int] = []
        let (all, _) = try site.execute { executor in
            executor.operate(with: check.needs) { session in
                check.run(in: session) { position, finding in
                    told.append(position)
                    #expect(finding.faults != nil, "a place is told when all of it is known")
                }
            }
        }
        let findings = try required(all)
        let company = try required(site.network.nodes[1].product?.company)
        #expect(faults(findings[0]) == ["overheat-error", "fault 0x81 of company 0x\(company.hexadecimal)"])
        #expect(faults(findings[1]) == ["reserved fault 0x40"])
        #expect(faults(findings[2]) == [])
        #expect(findings.allSatisfy { $0.periodDivisor == 0 && $0.missing == nil && $0.cleared == nil })
        #expect(told.sorted() == [0, 1, 2])
    }

    @Test("Faults are shown before they are cleared, and a test registers again what is there")
    func clearing() throws {
        let site = try Site(network: LitHouse.network(lamps: 2))
        try site.world.toggleFault(uuid(1), "overheat")
        try site.world.toggleFault(uuid(2), "memory-warning")
        try site.world.toggleFault(uuid(2), "memory-warning")
        let cleared = try run(check("lamp-*", in: site.network) { $0.clears = true }, at: site)
        #expect(cleared.map { $0.cleared?.faults.map(\.text) } == [["overheat-error"], ["memory-warning"]])
        #expect(cleared.map(faults) == [[], []])
        #expect(try run(check("lamp-*", in: site.network), at: site).map(faults) == [[], []])
        let tested = try run(check("lamp-*", in: site.network) { $0.test = 7 }, at: site)
        #expect(tested.map(faults) == [["overheat-error"], []])
        #expect(tested.map { $0.faults?.test } == [7, 7])
        let both = try run(
            check("lamp-*", in: site.network) {
                $0.clears = true
                $0.test = 0
            },
            at: site
        )
        #expect(both.map(faults) == [["overheat-error"], []], "first cleared, then tested")
        #expect(both[0].cleared?.faults.map(\.number) == [14])
    }

    @Test("Attention and the period are set at each, and stay so")
    func settings() throws {
        let site = try Site(network: LitHouse.network(lamps: 2))
        let set = try run(
            check("lamp-*", in: site.network) {
                $0.attention = 9
                $0.periodDivisor = 15
            },
            at: site
        )
        #expect(set.map(\.periodDivisor) == [15, 15])
        #expect(set.allSatisfy { (1...9).contains($0.attention ?? 0) }, "\(set.map(\.attention))")
        #expect(try run(check("lamp-*", in: site.network), at: site).map(\.periodDivisor) == [15, 15])
        #expect(throws: MessageRefusal.self) { try check("lamp-1", in: site.network) { $0.periodDivisor = 16 } }
    }

    @Test("Who is silent is not asked twice, and who knows no fault of a company is told from them")
    func silence() throws {
        let site = try Site(network: LitHouse.network(lamps: 3))
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        let silent = try run(check("lamp-*", in: site.network) { $0.clears = true }, at: site)
        #expect(silent.map(\.missing) == [nil, .unanswered, nil])
        #expect(silent.map(\.ignoresCompany) == [false, false, false])
        let foreign = try run(check("lamp-1", in: site.network) { $0.company = 0x1234 }, at: site)
        #expect(foreign.map(\.ignoresCompany) == [true] && foreign[0].faults == nil)
    }

    @Test("A node without a key is a problem, one without a Health Server is none")
    func problems() throws {
        var network = try LitHouse.network(lamps: 3)
        let place = try required(network.nodes[2].elements[0].place(of: .healthServer))
        network.nodes[2].elements[0].models[place].bindings = []
        network.nodes[3].elements[0].models.removeAll { $0.identifier == .healthServer }
        let check = try check("lamp-*", in: network)
        #expect(check.places.map(\.node) == [1])
        #expect(check.problems.map(\.problem) == [.noBinding(.healthServer)])
        #expect(check.problems.map(\.element.node) == [2])
    }

    @Test("A status is read octet by octet, and what is none is no fault")
    func statuses() throws {
        let status = try required(HealthFaults([0x02, 0x59, 0x00, 0x00, 0x0E, 0xFF, 0x33]))
        #expect(status.test == 2 && status.company == 0x0059)
        #expect(status.faults.map(\.text) == ["overheat-error", "fault 0xFF of company 0x0059", "reserved fault 0x33"])
        #expect(status.faults.map(\.name) == ["overheat-error", nil, nil])
        #expect(HealthFaults([0x00, 0x59, 0x00])?.faults == [])
        #expect(HealthFaults([0x00, 0x59]) == nil && HealthFaults([]) == nil)
    }
}
