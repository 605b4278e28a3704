#pragma once
#include <dlfcn.h>
#include <stddef.h>
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

// libpq is opened when an address of a server is first read, and not linked: most who use meshplan have no such server,
// and for them it would bring Kerberos and LDAP along. Only its header is needed to build.
//
// Each wrapper below has the name, the parameters and the result of a function of libpq. None may be called before
// cpostgresql_open has returned 1.

#ifdef __APPLE__
#define CPOSTGRESQL_FILE "libpq.5.dylib"
#else
#define CPOSTGRESQL_FILE "libpq.so.5"
#endif

// The address of a function of libpq; NULL if libpq or this function of it is not there. libpq stays open till the end.
static inline void *cpostgresql_symbol(const char *name) {
    static void *library = NULL;
    void *opened = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
    if (opened == NULL) {
        opened = dlopen(CPOSTGRESQL_FILE, RTLD_NOW | RTLD_LOCAL);
        if (opened == NULL) return NULL;
        __atomic_store_n(&library, opened, __ATOMIC_RELEASE);
    }
    return dlsym(opened, name);
}

// Whether libpq is there; opens it if need be.
static inline int cpostgresql_open(void) {
    // The newest of the functions below, of PostgreSQL 14: an older libpq lacks it.
    return cpostgresql_symbol("PQpipelineSync") != NULL;
}

// The address is kept, because a look-up for each cell of a large answer would take long.
#define CPOSTGRESQL(result, name, parameters, arguments)                                                               \
    static inline result cpostgresql_##name parameters {                                                              \
        static void *kept = NULL;                                                                                     \
        void *found = __atomic_load_n(&kept, __ATOMIC_RELAXED);                                                        \
        if (found == NULL) {                                                                                          \
            found = cpostgresql_symbol("PQ" #name);                                                                   \
            __atomic_store_n(&kept, found, __ATOMIC_RELAXED);                                                          \
        }                                                                                                             \
        return ((result(*) parameters)found) arguments;                                                               \
    }

CPOSTGRESQL(PQconninfoOption *, conninfoParse, (const char *text, char **error), (text, error))
CPOSTGRESQL(PQconninfoOption *, conndefaults, (void), ())
CPOSTGRESQL(void, conninfoFree, (PQconninfoOption * options), (options))
CPOSTGRESQL(
    PGconn *, connectStartParams, (const char *const *keywords, const char *const *values, int expands),
    (keywords, values, expands))
CPOSTGRESQL(PostgresPollingStatusType, connectPoll, (PGconn * connection), (connection))
CPOSTGRESQL(void, finish, (PGconn * connection), (connection))
CPOSTGRESQL(ConnStatusType, status, (const PGconn *connection), (connection))
CPOSTGRESQL(PGTransactionStatusType, transactionStatus, (const PGconn *connection), (connection))
CPOSTGRESQL(char *, errorMessage, (const PGconn *connection), (connection))
CPOSTGRESQL(char *, pass, (const PGconn *connection), (connection))
CPOSTGRESQL(int, socket, (const PGconn *connection), (connection))
CPOSTGRESQL(PGVerbosity, setErrorVerbosity, (PGconn * connection, PGVerbosity verbosity), (connection, verbosity))
CPOSTGRESQL(
    PQnoticeProcessor, setNoticeProcessor, (PGconn * connection, PQnoticeProcessor processor, void *context),
    (connection, processor, context))
CPOSTGRESQL(int, setnonblocking, (PGconn * connection, int isNonblocking), (connection, isNonblocking))
CPOSTGRESQL(int, setSingleRowMode, (PGconn * connection), (connection))
CPOSTGRESQL(int, enterPipelineMode, (PGconn * connection), (connection))
CPOSTGRESQL(int, exitPipelineMode, (PGconn * connection), (connection))
CPOSTGRESQL(int, pipelineSync, (PGconn * connection), (connection))
CPOSTGRESQL(
    int, sendQueryParams,
    (PGconn * connection, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths,
     const int *formats, int resultFormat),
    (connection, sql, count, types, values, lengths, formats, resultFormat))
CPOSTGRESQL(int, flush, (PGconn * connection), (connection))
CPOSTGRESQL(int, isBusy, (PGconn * connection), (connection))
CPOSTGRESQL(int, consumeInput, (PGconn * connection), (connection))
CPOSTGRESQL(PGresult *, getResult, (PGconn * connection), (connection))
CPOSTGRESQL(void, clear, (PGresult * result), (result))
CPOSTGRESQL(ExecStatusType, resultStatus, (const PGresult *result), (result))
CPOSTGRESQL(char *, resultErrorMessage, (const PGresult *result), (result))
CPOSTGRESQL(char *, resultErrorField, (const PGresult *result, int field), (result, field))
CPOSTGRESQL(char *, cmdTuples, (PGresult * result), (result))
CPOSTGRESQL(int, ntuples, (const PGresult *result), (result))
CPOSTGRESQL(int, nfields, (const PGresult *result), (result))
CPOSTGRESQL(Oid, ftype, (const PGresult *result, int column), (result, column))
CPOSTGRESQL(int, getisnull, (const PGresult *result, int row, int column), (result, row, column))
CPOSTGRESQL(char *, getvalue, (const PGresult *result, int row, int column), (result, row, column))
CPOSTGRESQL(int, getlength, (const PGresult *result, int row, int column), (result, row, column))

#undef CPOSTGRESQL

// Character constants and callbacks that Swift would import as something else.

// The SQLSTATE of a failed result, NULL if libpq made the result itself.
static inline const char *cpostgresql_sqlstate(const PGresult *result) {
    return cpostgresql_resultErrorField(result, PG_DIAG_SQLSTATE);
}

// The message of a failed result without details, NULL if libpq made the result itself.
static inline const char *cpostgresql_primary_message(const PGresult *result) {
    return cpostgresql_resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline void cpostgresql_ignore(void *context, const char *message) {
    (void)context;
    (void)message;
}

// Notices are for people at a prompt; without this they go to standard error.
static inline void cpostgresql_ignore_notices(PGconn *connection) {
    cpostgresql_setNoticeProcessor(connection, cpostgresql_ignore, NULL);
}
