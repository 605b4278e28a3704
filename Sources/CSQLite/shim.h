#pragma once
#include <sqlite3.h>

// Swift cannot call functions with variable arguments. What a file says about itself runs nothing: no functions from
// its schema, no virtual tables, no changes of the schema by the way.
static inline int meshplan_sqlite3_distrust(sqlite3 *database) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code != SQLITE_OK) return code;
    code = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (code != SQLITE_OK) return code;
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}
