#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// What Swift cannot call: ioctl is variadic, and its requests are macros.

// Fills `numbers` with the numbers of the adapters, at most `capacity`; the count, or -1 with errno.
static inline int meshplan_hci_adapters(int descriptor, uint16_t *numbers, int capacity) {
    size_t size = sizeof(struct hci_dev_list_req) + HCI_MAX_DEV * sizeof(struct hci_dev_req);
    struct hci_dev_list_req *list = calloc(1, size);
    if (list == NULL) return -1;
    list->dev_num = HCI_MAX_DEV;
    int result = ioctl(descriptor, HCIGETDEVLIST, list);
    int count = 0;
    if (result >= 0)
        for (; count < list->dev_num && count < capacity && count < HCI_MAX_DEV; count++)
            numbers[count] = list->dev_req[count].dev_id;
    int error = errno;
    free(list);
    errno = error;
    return result < 0 ? -1 : count;
}

static inline int meshplan_hci_info(int descriptor, uint16_t number, struct hci_dev_info *info) {
    memset(info, 0, sizeof *info);
    info->dev_id = number;
    return ioctl(descriptor, HCIGETDEVINFO, info);
}

// The bit of HCI_UP in the flags of an adapter.
static inline int meshplan_hci_is_up(const struct hci_dev_info *info) { return (info->flags >> HCI_UP) & 1; }

// A raw HCI socket of an adapter that shows commands and the events wanted here; -1 with errno.
static inline int meshplan_hci_open(uint16_t number) {
    int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
    if (descriptor < 0) return -1;
    struct hci_filter filter;
    hci_filter_clear(&filter);
    hci_filter_set_ptype(HCI_COMMAND_PKT, &filter);
    hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
    hci_filter_set_event(EVT_DISCONN_COMPLETE, &filter);
    hci_filter_set_event(EVT_CMD_COMPLETE, &filter);
    hci_filter_set_event(EVT_CMD_STATUS, &filter);
    hci_filter_set_event(EVT_LE_META_EVENT, &filter);
    struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = number, .hci_channel = HCI_CHANNEL_RAW};
    // Reports come in bursts; what does not fit is lost.
    int buffer = 256 * 1024;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    if (setsockopt(descriptor, SOL_HCI, HCI_FILTER, &filter, sizeof filter) < 0
        || bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

// Begins to connect to the attribute protocol of a peer (L2CAP channel 4); addresses least significant octet first,
// kinds 1 (public) or 2 (random). The socket, or -1 with errno; `inProgress` becomes 0 if it is connected already.
static inline int meshplan_l2cap_connect(
    const uint8_t *own, uint8_t ownKind, const uint8_t *peer, uint8_t peerKind, int *inProgress
) {
    int descriptor = socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_L2CAP);
    if (descriptor < 0) return -1;
    struct sockaddr_l2 local, remote;
    memset(&local, 0, sizeof local);
    local.l2_family = AF_BLUETOOTH;
    local.l2_cid = htobs(4);
    local.l2_bdaddr_type = ownKind;
    memcpy(&local.l2_bdaddr, own, 6);
    remote = local;
    remote.l2_bdaddr_type = peerKind;
    memcpy(&remote.l2_bdaddr, peer, 6);
    struct bt_security security = {.level = BT_SECURITY_LOW};
    int result = bind(descriptor, (struct sockaddr *)&local, sizeof local);
    if (result == 0)
        result = setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, sizeof security);
    *inProgress = 0;
    if (result == 0) {
        result = connect(descriptor, (struct sockaddr *)&remote, sizeof remote);
        if (result < 0 && (errno == EINPROGRESS || errno == EAGAIN)) {
            *inProgress = 1;
            result = 0;
        }
    }
    if (result < 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

// The controller's number of a socket's connection, or -1 with errno.
static inline int meshplan_l2cap_handle(int descriptor) {
    struct l2cap_conninfo info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(descriptor, SOL_L2CAP, L2CAP_CONNINFO, &info, &size) < 0) return -1;
    return info.hci_handle;
}

// A socket that can be asked about adapters, or -1 with errno: EAFNOSUPPORT where the kernel has no Bluetooth.
static inline int meshplan_hci_control(void) {
    return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
}
