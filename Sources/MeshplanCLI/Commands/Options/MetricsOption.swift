import ArgumentParser
import Bearers

/// Where a server tells collectors what it does.
struct MetricsOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Serve metrics for Prometheus over HTTP at tcp:HOST:PORT of this machine, or only PORT for tcp:127.0.0.1:PORT; \
            path /metrics.
            """,
            valueName: "address"
        )
    )
    var metrics: String?

    func validate() throws {
        do { _ = try named } catch { throw ValidationError("\(error).") }
    }

    private var named: SocketAddress? {
        get throws(SocketAddressError) {
            guard let metrics else { return nil }
            return try SocketAddress(UInt16(metrics) == nil ? metrics : "tcp:127.0.0.1:\(metrics)")
        }
    }

    /// Where metrics are served; nil for nowhere.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/refused`` for an address that other machines reach.
    func address() throws -> SocketAddress? {
        guard let address = try named else { return nil }
        guard try address.isLocal() else {
            throw Failure(
                .refused,
                "\(address) can be reached by other machines, and metrics are not secured",
                hint: "Serve them at tcp:127.0.0.1:PORT, and let a proxy of your own pass them on."
            )
        }
        return address
    }
}
