import Execution
import MeshCore
import Store

/// One `diagnose`: asks, tells each finding as it comes, and the likely cause last.
struct DiagnosisSession {
    /// Opens the database and the route.
    let conversation: NodeConversation

    private var context: Context { conversation.context }

    /// Finds out why a node does not answer.
    ///
    /// - Parameters:
    ///   - name: a name, UUID or address.
    ///   - skips: whether sequence numbers may be left out.
    /// - Throws: ``Failure`` if there is no such node; otherwise the errors of locking the database and of opening the
    ///   route.
    func diagnose(
        _ name: String,
        listeningFor duration: Duration,
        skippingSequenceNumbers skips: Bool
    ) throws -> ExitStatus {
        guard let (database, snapshot, _) = conversation.knowledge.database else {
            throw Failure(.failure, "there is no database here", hint: "meshplan init or meshplan import makes one.")
        }
        let node = try conversation.node(name)
        guard node.uuid != snapshot.network.ownProvisioner, node.deviceKey != nil else {
            throw Failure(
                .usage,
                "\(conversation.name(of: node)) cannot be asked: it is a provisioner, or its device key is not known"
            )
        }
        let lease = try Workspace(context: context).lock(database, for: "diagnose")
        let access = try conversation.open()
        var view = DiagnosisView(conversation, node, in: snapshot)
        view.begin()
        let diagnosis = conversation.executor(database, lease, access.bearer).diagnose(
            node,
            listeningFor: duration,
            skippingSequenceNumbers: skips
        ) { view.show($0) }
        if diagnosis.ending == .interrupted { throw Failure(.interrupted, "interrupted before the cause was found") }
        if let failure = Failure(ending: diagnosis.ending) { throw failure }
        let status: ExitStatus = diagnosis.cause == .none ? .success : .partial
        view.finish(diagnosis, status)
        let report = access.simulation?.report(context) ?? .success
        return report == .success ? status : report
    }
}
