import MeshCore
import Planning

/// What a part of a run wants done, in order. The run carries it out: no part of it talks to the client, the bearer or
/// another part by itself.
enum RunOutput {
    // MARK: Requests

    /// Send this after the next commit.
    case ask(Job)
    /// Give up the requests that are meant. They went to this address; nil for the address that the record has.
    case withdraw(UnicastAddress? = nil, (Job) -> Bool)
    /// A message to a server was sent; carry out what the client wants for it.
    case posted([MeshClient.Output])
    /// Carry out what the client wants.
    case client([MeshClient.Output])

    // MARK: Nodes

    /// The record of a node has changed.
    case changed(DeviceUUID)
    /// The client is to use these keys.
    case keys([NetKey], [AppKey])
    /// The network no longer has a node with this address.
    case removed(UnicastAddress)
    /// The composition of a node has become known.
    case composed(DeviceUUID)
    /// A node does not answer: its steps wait for another run.
    case suspend(DeviceUUID)
    /// A node says that it was reset.
    case watchReset(StepRequest)
    /// The turn of a step has come: nothing else is open with its node.
    case start(Int)

    // MARK: Devices

    /// Carry out what the provisioning queue wants.
    case queue([ProvisioningQueue.Output])
    /// Carry out what the link of a server to a device wants.
    case remote([RemoteProvisioningLink.Action], through: UnicastAddress)
    /// Devices that servers listen for have come or gone.
    case listenToServers
    /// Nobody needs to find out any longer whether a device has become a node.
    case endFindingOut(DeviceUUID)
    /// A device that may be a node is about to be asked under this key.
    case tryKey(KeyMaterial, of: PendingProvisioning)
    /// A node was replaced by the device that it was before, so requests to it are in doubt no longer.
    case replaced(DeviceUUID)
    /// A device was provisioned, and advertises its Node Identity if the bearer reached it.
    case advertises(DeviceUUID)

    // MARK: The run

    /// Tell this at once.
    case emit(ExecutionEvent)
    case stop(Recap.Ending)
}
