import MeshCore
import Planning

/// Divides the bearer's links and its scan among the client and the provisioning queue.
extension ExecutionRun {
    /// Divides the links: one is kept for the mesh once there is a node to talk to; the others provision.
    func divideLinks() {
        let most = max(1, min(board.options.maximumConnections, bearer.maximumLinks))
        let isMeshBusy = board.devices.servers.isBusy || board.linkFailure == nil && !board.requests.isEmpty
        guard !board.devices.work.queue.isEmpty else { return giveClient(most) }
        if most == 1 {
            // They take turns: finishing nodes comes before beginning many.
            giveClient(isMeshBusy && board.devices.work.queue.linkCount == 0 ? 1 : 0)
            if !isMeshBusy, driver.client.linkCount == 0 { startProvisioning(limit: 1) }
            if board.devices.work.queue.linkCount == 0 { startRemoteProvisioning() }
            return
        }
        let isMeshThere = board.ledger.network.count > 1
        // Devices take free links first. The client gets the rest, and relies on no more than that.
        startProvisioning(limit: isMeshThere ? most - max(1, driver.client.linkCount) : most)
        giveClient(min(max(1, most / 2), most - board.devices.work.queue.linkCount))
        startRemoteProvisioning()
    }

    private func giveClient(_ count: Int) {
        board.perform(driver.client.setMaximumLinks(count, at: bearer.now))
    }

    private func startProvisioning(limit: Int) {
        guard !board.ledger.isInterrupted, driver.client.isIVIndexKnown else { return }
        board.carryOut(board.devices.work.queue.start(limit: limit, at: bearer.now))
    }

    private func startRemoteProvisioning() {
        guard !board.ledger.isInterrupted, driver.client.isIVIndexKnown else { return }
        board.carryOut(board.devices.work.queue.startRemote(at: bearer.now))
    }

    /// Lets the bearer scan as long as any part of the run needs it.
    func updateScan() {
        let isResetting = !board.resets.isEmpty || board.requests.openJobs.contains { $0.action == .resetNode }
        do throws(BearerError) {
            try driver.scan(alsoForOthers: board.devices.work.wantsScan || isResetting || board.wayBack.isListening)
        } catch {
            // The user has interrupted.
            guard !error.isInterruption else {
                board.stop = board.stop ?? .interrupted
                return
            }
            // Nodes can still find other devices.
            board.carryOut(board.devices.work.failLost(error, &board.ledger, board.routes))
            board.perform(driver.endClientScan())
        }
    }
}
