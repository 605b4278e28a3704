#pragma once
#include <libpq-fe.h>

// Character constants and callbacks that Swift would import as something else.

// The SQLSTATE of a failed result, NULL if libpq made the result itself.
static inline const char *cpostgresql_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

// The message of a failed result without details, NULL if libpq made the result itself.
static inline const char *cpostgresql_primary_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline void cpostgresql_ignore(void *context, const char *message) {
    (void)context;
    (void)message;
}

// Notices are for people at a prompt; without this they go to standard error.
static inline void cpostgresql_ignore_notices(PGconn *connection) {
    PQsetNoticeProcessor(connection, cpostgresql_ignore, NULL);
}
