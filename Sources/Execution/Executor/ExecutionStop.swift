import Store

/// Ends a run, or keeps it from beginning.
struct ExecutionStop: Error, Hashable, Sendable {
    let ending: Recap.Ending

    init(_ ending: Recap.Ending) {
        self.ending = ending
    }
}

/// Does something with the database.
func stopping<Value>(_ body: () throws(StoreError) -> Value) throws(ExecutionStop) -> Value {
    do throws(StoreError) {
        return try body()
    } catch {
        throw ExecutionStop(.storeFailed(error.description))
    }
}
