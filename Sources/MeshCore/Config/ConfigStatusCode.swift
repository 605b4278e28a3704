/// The outcome of a Configuration request as the node reports it (Mesh Protocol 4.3, summary of status codes), one
/// octet.
package struct ConfigStatusCode: RawRepresentable, Hashable, Sendable, AccessField {
    package static let notation = "$:config-status"
    package let rawValue: UInt8

    /// Every octet is valid; unknown codes are kept.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The request was carried out.
    package static let success = ConfigStatusCode(rawValue: 0x00)
    /// The node does not have the address, or the request may not use it.
    package static let invalidAddress = ConfigStatusCode(rawValue: 0x01)
    /// The element does not have the model.
    package static let invalidModel = ConfigStatusCode(rawValue: 0x02)
    /// The node does not have the AppKey.
    package static let invalidAppKeyIndex = ConfigStatusCode(rawValue: 0x03)
    /// The node does not have the NetKey.
    package static let invalidNetKeyIndex = ConfigStatusCode(rawValue: 0x04)
    /// A list on the node is full.
    package static let insufficientResources = ConfigStatusCode(rawValue: 0x05)
    /// The node stores another key under that index.
    package static let keyIndexAlreadyStored = ConfigStatusCode(rawValue: 0x06)
    /// The model does not support the publication.
    package static let invalidPublishParameters = ConfigStatusCode(rawValue: 0x07)
    /// The model has no Subscription List.
    package static let notASubscribeModel = ConfigStatusCode(rawValue: 0x08)
    /// The node could not store the value.
    package static let storageFailure = ConfigStatusCode(rawValue: 0x09)
    /// The node lacks the feature.
    package static let featureNotSupported = ConfigStatusCode(rawValue: 0x0A)
    /// The key refresh does not allow the update now.
    package static let cannotUpdate = ConfigStatusCode(rawValue: 0x0B)
    /// The key is the node's last one, or it secured the request.
    package static let cannotRemove = ConfigStatusCode(rawValue: 0x0C)
    /// The model is not secured with AppKeys.
    package static let cannotBind = ConfigStatusCode(rawValue: 0x0D)
    /// The node cannot change the state at the moment.
    package static let temporarilyUnableToChangeState = ConfigStatusCode(rawValue: 0x0E)
    /// The state cannot be set to the value.
    package static let cannotSet = ConfigStatusCode(rawValue: 0x0F)
    /// The request failed for another reason.
    package static let unspecifiedError = ConfigStatusCode(rawValue: 0x10)
    /// The AppKey is bound to another NetKey, or it is not bound to the model.
    package static let invalidBinding = ConfigStatusCode(rawValue: 0x11)
    /// The forwarding table has no such path (1.1).
    package static let invalidPathEntry = ConfigStatusCode(rawValue: 0x12)
    /// The state cannot be read (1.1).
    package static let cannotGet = ConfigStatusCode(rawValue: 0x13)
    /// What was asked for has changed in the meantime (1.1).
    package static let obsoleteInformation = ConfigStatusCode(rawValue: 0x14)
    /// The node does not have that bearer (1.1).
    package static let invalidBearer = ConfigStatusCode(rawValue: 0x15)

    /// The name in the specification, `Invalid AppKey Index`; `Unknown Status 0x42` for codes that it does not define.
    package var name: String { explanation?.name ?? "Unknown Status 0x\(rawValue.hexadecimal)" }

    /// What the code means, one sentence.
    package var meaning: String {
        explanation?.meaning ?? "The node answered with a code that the specification does not define."
    }

    /// What helps, one sentence.
    package var advice: String {
        explanation?.advice ?? "Look the code up in the documentation of the node's manufacturer."
    }

    private var explanation: Explanation? {
        Int(rawValue) < Self.explanations.count ? Self.explanations[Int(rawValue)] : nil
    }

    private struct Explanation: Sendable {
        let name: String
        let meaning: String
        let advice: String

        init(_ name: String, _ meaning: String, _ advice: String) {
            self.name = name
            self.meaning = meaning
            self.advice = advice
        }
    }

    /// By code.
    private static let explanations: [Explanation] = [
        Explanation("Success", "The node carried the request out.", "Nothing needs to be done."),
        Explanation(
            "Invalid Address",
            "The node has no element with that address, or the address is not allowed in this request.",
            "Read the node's composition again and check the element and the group or publish address."
        ),
        Explanation(
            "Invalid Model",
            "The element does not have that model.",
            "Read the node's composition again; a firmware update may have changed its models."
        ),
        Explanation(
            "Invalid AppKey Index",
            "The node does not know that application key.",
            "Add the application key to the node first."
        ),
        Explanation(
            "Invalid NetKey Index",
            "The node does not know that network key.",
            "Add the node to the subnet first."
        ),
        Explanation(
            "Insufficient Resources",
            "The node has no room for another key, binding or subscription.",
            "Remove entries that the node no longer needs, or configure fewer."
        ),
        Explanation(
            "Key Index Already Stored",
            "The node holds a different key under that index.",
            "Delete the key from the node and add it again, or replace it with a key refresh."
        ),
        Explanation(
            "Invalid Publish Parameters",
            "The model does not support a part of that publication.",
            "Check whether the model can publish at all, then try without period or friendship credentials."
        ),
        Explanation(
            "Not a Subscribe Model",
            "The model cannot subscribe to addresses.",
            "Remove the subscription from this model in the definition."
        ),
        Explanation(
            "Storage Failure",
            "The node could not write the value to its storage.",
            "Try again; if it fails again, restart the node or have it checked."
        ),
        Explanation(
            "Feature Not Supported",
            "The node does not have that feature.",
            "Remove the feature's setting for this node from the definition."
        ),
        Explanation(
            "Cannot Update",
            "The key cannot be updated in the present phase of the key refresh.",
            "Read the node's key refresh phase and finish the procedure that is under way."
        ),
        Explanation(
            "Cannot Remove",
            "The key is the last one that the node has, or it secured this very request.",
            "Give the node another network key first and send the request under that one."
        ),
        Explanation(
            "Cannot Bind",
            "The model is secured with the device key and takes no application key.",
            "Remove the key from this model in the definition."
        ),
        Explanation(
            "Temporarily Unable to Change State",
            "The node cannot change that state just now.",
            "Try again later."
        ),
        Explanation(
            "Cannot Set",
            "The node does not allow that state to have the value.",
            "Check the value against what the node's manufacturer supports."
        ),
        Explanation(
            "Unspecified Error",
            "The node failed for a reason that it does not name.",
            "Try again; if it fails again, look at the node's own diagnostics."
        ),
        Explanation(
            "Invalid Binding",
            "The application key is bound to another network key, or it is not bound to the model.",
            "Check which subnet the application key belongs to, and bind it to the model before it is used."
        ),
        Explanation(
            "Invalid Path Entry",
            "The node's forwarding table has no such path.",
            "Read the forwarding table again."
        ),
        Explanation(
            "Cannot Get",
            "The node cannot report that state.",
            "Leave the state out, or ask again after the feature behind it is on."
        ),
        Explanation(
            "Obsolete Information",
            "What was asked for has changed since it was first read.",
            "Read it again from the start."
        ),
        Explanation(
            "Invalid Bearer",
            "The node does not have that bearer.",
            "Ask the node for the bearers it has and choose one of them."
        ),
    ]
}

extension ConfigStatusCode: CustomStringConvertible {
    /// Name and number: `Invalid Model (0x02)`.
    package var description: String {
        explanation == nil ? name : "\(name) (0x\(rawValue.hexadecimal))"
    }
}
