import Execution
import MeshCore
import Store

extension MeshDatabase {
    /// Locks the database for a benchmark.
    ///
    /// - Throws: ``StoreError`` if somebody else holds the lock.
    func lockForBenchmark(_ operation: String) throws(StoreError) -> WriteLease {
        try lock(
            holder: LockHolder(
                user: "bench",
                host: "bench",
                process: 1,
                operation: operation,
                since: Timestamp(rawValue: 0)
            )
        )
    }
}

extension ExecutionContext {
    /// The context of a benchmark: the calendar stands still, and keys come from `key`.
    static func benchmark(
        key: @escaping () -> KeyMaterial,
        provisioningSecrets: @escaping () -> ProvisioningSecrets = ExecutionContext.systemSecrets
    ) -> ExecutionContext {
        ExecutionContext(
            user: "bench",
            host: "bench",
            now: { Timestamp(rawValue: 0) },
            key: { (_) throws(ExecutionContext.KeyError) in key() },
            provisioningSecrets: provisioningSecrets
        )
    }
}
