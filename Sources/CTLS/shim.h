#pragma once
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>

// Wrappers for what Swift cannot call itself, because it is a macro or needs an address that stays the same.
// They return 1 on success and NULL or 0 otherwise.

// The name of the protocol inside TLS as ALPN carries it (RFC 7301, 3.1): its length, then `meshplan`.
static const unsigned char ctls_protocol[9] = {8, 'm', 'e', 's', 'h', 'p', 'l', 'a', 'n'};

// The server's choice among the protocols that a client offers: ours, or the end of the handshake.
static inline int ctls_select_protocol(
    SSL *session, const unsigned char **chosen, unsigned char *chosen_length, const unsigned char *offered,
    unsigned int offered_length, void *argument) {
    (void)session;
    (void)argument;
    unsigned char *match = NULL;
    if (SSL_select_next_proto(&match, chosen_length, ctls_protocol, sizeof ctls_protocol, offered, offered_length)
        != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *chosen = match;
    return SSL_TLSEXT_ERR_OK;
}

// Whether a client names any protocol at all; one that does not would not be asked by the function above.
static inline int ctls_require_protocol(SSL *session, int *alert, void *argument) {
    (void)argument;
    const unsigned char *extension = NULL;
    size_t length = 0;
    if (SSL_client_hello_get0_ext(
            session, TLSEXT_TYPE_application_layer_protocol_negotiation, &extension, &length) == 1) {
        return SSL_CLIENT_HELLO_SUCCESS;
    }
    *alert = SSL_AD_NO_APPLICATION_PROTOCOL;
    return SSL_CLIENT_HELLO_ERROR;
}

// TLS 1.3 alone, nothing that outlives a connection, certificates of a few kilobytes, our protocol.
static inline int ctls_configure(SSL_CTX *context, int is_server) {
    if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1
        || SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1) {
        return 0;
    }
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // The other side has the authority's certificate already.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_max_cert_list(context, 16 * 1024);
    if (SSL_CTX_set_num_tickets(context, 0) != 1) return 0;
    if (is_server) {
        SSL_CTX_set_client_hello_cb(context, ctls_require_protocol, NULL);
        SSL_CTX_set_alpn_select_cb(context, ctls_select_protocol, NULL);
        return 1;
    }
    // This call, unlike the others, returns 0 on success.
    return SSL_CTX_set_alpn_protos(context, ctls_protocol, sizeof ctls_protocol) == 0;
}

// Whether both sides have agreed on our protocol.
static inline int ctls_speaks_our_protocol(const SSL *session) {
    const unsigned char *protocol = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected(session, &protocol, &length);
    return length == sizeof ctls_protocol - 1 && memcmp(protocol, ctls_protocol + 1, length) == 0;
}

// A new private key on P-256 (FIPS 186-5).
static inline EVP_PKEY *ctls_p256_key_new(void) { return EVP_EC_gen("P-256"); }

// Adds an extension by its number, written as in a configuration file of OpenSSL.
static inline int ctls_add_extension(X509 *certificate, X509 *issuer, int number, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, number, value);
    if (extension == NULL) return 0;
    int done = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return done;
}

// A serial number of 127 random bits, never negative or zero (RFC 5280, 4.1.2.2).
static inline int ctls_set_random_serial(X509 *certificate) {
    BIGNUM *number = BN_new();
    int done = number != NULL && BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
        && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return done;
}

// The private key as PKCS #8, without a passphrase.
static inline int ctls_write_key(BIO *bio, const EVP_PKEY *key) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
}

// Frees and overwrites what PEM_read_bio has allocated.
static inline void ctls_free_secret(void *memory, size_t length) { OPENSSL_clear_free(memory, length); }

// Frees what the library has allocated.
static inline void ctls_free(void *memory) { OPENSSL_free(memory); }
