#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <string.h>

// Wrappers for what Swift must not or cannot call itself: OSSL_PARAM keeps pointers to C string macros, which Swift
// would import as temporary Strings, and one call into C for a whole CCM operation keeps the hot path short.
// They return 1 on success and NULL or 0 otherwise.

// A context that encrypts single blocks with AES-128 under `key` of 16 octets.
static inline EVP_CIPHER_CTX *ccrypto_aes_block_new(const unsigned char *key) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return NULL;
    if (EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), NULL, key, NULL) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1) {
        return context;
    }
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

// Encrypts one block of 16 octets; `input` may equal `output`.
static inline int ccrypto_aes_block_encrypt(EVP_CIPHER_CTX *context, const unsigned char *input, unsigned char *output) {
    int written = 0;
    return EVP_EncryptUpdate(context, output, &written, input, 16) == 1 && written == 16;
}

// A context for AES-128-CCM with nonces of 13 octets, for one direction and one length of the MIC, which OpenSSL
// fixes when the key is set.
static inline EVP_CIPHER_CTX *ccrypto_ccm_new(const unsigned char *key, int mic_length, int encrypts) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return NULL;
    if (EVP_CipherInit_ex(context, EVP_aes_128_ccm(), NULL, NULL, NULL, encrypts) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 13, NULL) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, mic_length, NULL) == 1
        && EVP_CipherInit_ex(context, NULL, NULL, key, NULL, encrypts) == 1) {
        return context;
    }
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

// Encrypts `length` octets to `output`, which may equal `input`, and appends the MIC.
static inline int ccrypto_ccm_seal(
    EVP_CIPHER_CTX *context, const unsigned char *nonce, const unsigned char *additional, int additional_length,
    const unsigned char *input, int length, unsigned char *output, int mic_length) {
    int written = 0;
    if (EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) != 1) return 0;
    if (additional_length > 0) {
        if (EVP_EncryptUpdate(context, NULL, &written, NULL, length) != 1) return 0;
        if (EVP_EncryptUpdate(context, NULL, &written, additional, additional_length) != 1) return 0;
    }
    if (EVP_EncryptUpdate(context, output, &written, input, length) != 1 || written != length) return 0;
    // What EVP_CTRL_AEAD_GET_TAG does, without the translation of the control to a parameter.
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, output + length, (size_t)mic_length),
        OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(context, parameters) == 1;
}

// Decrypts `length` octets to `output`, which may equal `input`; the MIC follows the input. 0: not authentic.
static inline int ccrypto_ccm_open(
    EVP_CIPHER_CTX *context, const unsigned char *nonce, const unsigned char *additional, int additional_length,
    const unsigned char *input, int length, unsigned char *output, int mic_length) {
    int written = 0;
    if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, mic_length, (void *)(input + length)) != 1) return 0;
    if (EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce) != 1) return 0;
    // After a message that was not authentic a context keeps the nonce of that message until it is told a length, and
    // would refuse all others.
    if (EVP_DecryptUpdate(context, NULL, &written, NULL, length) != 1) return 0;
    if (additional_length > 0
        && EVP_DecryptUpdate(context, NULL, &written, additional, additional_length) != 1) {
        return 0;
    }
    return EVP_DecryptUpdate(context, output, &written, input, length) == 1 && written == length;
}

// A context for AES-CMAC under `key` of 16 octets.
static inline EVP_MAC_CTX *ccrypto_cmac_new(const unsigned char *key) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_CMAC, NULL);
    if (mac == NULL) return NULL;
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);
    if (context == NULL) return NULL;
    char cipher[] = "AES-128-CBC";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0), OSSL_PARAM_construct_end()};
    if (EVP_MAC_init(context, key, 16, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

// The CMAC of a message, 16 octets; the context can be used again.
static inline int ccrypto_cmac(EVP_MAC_CTX *context, const unsigned char *message, size_t length, unsigned char *output) {
    size_t written = 0;
    return EVP_MAC_init(context, NULL, 0, NULL) == 1 && EVP_MAC_update(context, message, length) == 1
        && EVP_MAC_final(context, output, &written, 16) == 1 && written == 16;
}

// HMAC-SHA256 of a message, 32 octets.
static inline int ccrypto_hmac_sha256(
    const unsigned char *key, int key_length, const unsigned char *message, size_t length, unsigned char *output) {
    unsigned int written = 0;
    return HMAC(EVP_sha256(), key, key_length, message, length, output, &written) != NULL && written == 32;
}

// The group P-256. Nothing changes it afterwards, so all threads may share it.
static inline EC_GROUP *ccrypto_p256_new(void) {
    return EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
}

// A point of P-256 from X and Y, 32 octets each, big-endian; NULL if a coordinate is too large or the point is not on
// the curve. The point at infinity has no such form.
static inline EC_POINT *ccrypto_p256_point_new(const EC_GROUP *group, const unsigned char *coordinates) {
    unsigned char octets[65] = {POINT_CONVERSION_UNCOMPRESSED};
    memcpy(octets + 1, coordinates, 64);
    EC_POINT *point = EC_POINT_new(group);
    if (point != NULL && EC_POINT_oct2point(group, point, octets, sizeof octets, NULL) == 1) return point;
    EC_POINT_free(point);
    return NULL;
}

// Whether X and Y are those of a point of P-256. The group has cofactor 1, so every such point has its order.
static inline int ccrypto_p256_is_point(const EC_GROUP *group, const unsigned char *coordinates) {
    EC_POINT *point = ccrypto_p256_point_new(group, coordinates);
    EC_POINT_free(point);
    return point != NULL;
}

// The product of a scalar of 32 octets and a point, or the generator where `coordinates` is NULL: X and Y, 64 octets.
// 0 also where the product is the point at infinity. The scalar is secret: libcrypto multiplies in constant time.
static inline int ccrypto_p256_multiply(
    const EC_GROUP *group, const unsigned char *scalar, const unsigned char *coordinates, unsigned char *output) {
    unsigned char octets[65];
    int done = 0;
    EC_POINT *factor = coordinates == NULL ? NULL : ccrypto_p256_point_new(group, coordinates);
    EC_POINT *product = EC_POINT_new(group);
    BN_CTX *context = BN_CTX_new();
    BIGNUM *number = BN_bin2bn(scalar, 32, NULL);
    if (product != NULL && context != NULL && number != NULL && (coordinates == NULL || factor != NULL)) {
        BN_set_flags(number, BN_FLG_CONSTTIME);
        if (EC_POINT_mul(group, product, factor == NULL ? number : NULL, factor, factor == NULL ? NULL : number, context) == 1
            && EC_POINT_point2oct(
                   group, product, POINT_CONVERSION_UNCOMPRESSED, octets, sizeof octets, context) == sizeof octets) {
            memcpy(output, octets + 1, 64);
            done = 1;
        }
    }
    OPENSSL_cleanse(octets, sizeof octets);
    BN_clear_free(number);
    BN_CTX_free(context);
    EC_POINT_clear_free(product);
    EC_POINT_free(factor);
    return done;
}
