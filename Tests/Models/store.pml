/*
 * Lock, fence, spill and reservation of sequence numbers of a shared mesh database, with two clients on two machines,
 * three writes, and one failover. Each step stands for one transaction on the server or one write to a machine's
 * own disk; the comment above it names the function in Sources/Store that takes it. Between two steps anything can
 * happen that the processes below allow: a lock expires, a client is killed, an answer is lost, the primary dies and
 * its standby takes over, the former primary comes back.
 *
 * What must hold:
 *   1. No sequence number is sent twice.
 *   2. Only the holder of the lock writes, and only an own write is taken for stored.
 *   3. With synchronous replication no acknowledged write is lost. With asynchronous replication (ASYNC), a loss is told
 *      before anything is written or sent after it: to the first who takes the lock, and to each machine that lost a
 *      write of its own.
 *   4. Nothing is written to a former primary.
 *
 * Switches, each of which takes a protection out. The model then has a counter-example:
 *   NO_FENCE     writes do not compare the fence and the token of the lock
 *   NO_TOKEN     writes compare the fence, but not the token of the lock (needs ASYNC)
 *   NO_TIMELINE  nobody compares the timelines of reservations and server (needs ASYNC)
 *   NO_LOOK      nobody looks whether another server of the address was promoted
 *   NO_WITNESS   numbers are used before they are stored
 */

#define CLIENTS 2
#define WRITES 3
#define LOCKS 4                     /* how often the lock is taken */
#define SKIP 4                      /* skippedAfterRestore: more numbers than a failover can lose */

/* A server: the rows that matter here. */
typedef Server {
    bool alive;
    byte starts;                    /* how often it started; a connection does not outlive its server */
    byte timeline;                  /* grows with each promotion */
    byte revision;                  /* meshplan_networks.revision */
    byte fence;                     /* meshplan_networks.fence, raised together with meshplan_locks.fence */
    byte token;                     /* meshplan_locks.token: which acquisition holds the lock */
    byte limit;                     /* the reservation of our own address */
    byte limitTimeline;             /* the timeline under which it was made; 0 if there is none */
    byte author                     /* ghost: the write that made this revision */
};

Server server[2];                   /* 0 is the primary at first, 1 its standby */
byte primary = 0;
bool hasFailedOver = false;
byte tokens = 0;                    /* acquisitions so far; random octets in the product */
byte writes = 0;                    /* writes so far */
int used = 0;                       /* ghost: numbers that were sent, a bit each */
byte acknowledged[CLIENTS + 1];     /* ghost: the highest revision that a client has had acknowledged */
bool hasLost[CLIENTS + 1];          /* ghost: that revision is not on the new primary */
bool isTold = false;                /* ghost: somebody was told that writes may be lost */

inline send(number) {
    assert(!(used & (1 << number)));                                                        /* 1 */
    used = used | (1 << number)
}

inline replicate(s) {
    server[1].revision = server[s].revision;
    server[1].fence = server[s].fence;
    server[1].token = server[s].token;
    server[1].limit = server[s].limit;
    server[1].limitTimeline = server[s].limitTimeline;
    server[1].author = server[s].author
}

/* What a transaction on the first primary means for its standby. */
inline committed(s) {
    if
    :: s == 0 && !hasFailedOver ->
#ifdef ASYNC
        if
        :: replicate(0)
        :: skip                     /* lags behind */
        fi
#else
        replicate(0)
#endif
    :: else
    fi
}

/*
 * PostgreSQLConnection.toPrimary: a server that accepts writes. If another one of the address was promoted later, this one
 * is a former primary.
 */
inline connect(s) {
#ifdef NO_LOOK
    if
    :: server[0].alive -> s = 0
    :: hasFailedOver -> s = 1
    fi;
#else
    if
    :: !hasFailedOver -> s = 0
    :: hasFailedOver -> s = 1
    fi;
#endif
    starts = server[s].starts
}

#define isBroken (!server[s].alive || server[s].starts != starts)

#ifdef NO_FENCE
#define holds(s) true
#else
#ifdef NO_TOKEN
#define holds(s) (server[s].fence == fence)
#else
#define holds(s) (server[s].fence == fence && server[s].token == token)
#endif
#endif

#ifdef NO_TIMELINE
#define isOfTimeline(s) true
#else
#define isOfTimeline(s) (server[s].timeline == timeline)
#endif

proctype Client(byte me) {
    byte s, starts;                 /* the server of its connection */
    byte token, fence, revision, timeline;              /* of its lease */
    byte next, reserved;            /* DurableSequenceNumbers.State */
    byte author;                    /* ghost: the write in flight */
    byte witness = 0, witnessTimeline = 0;              /* the file <localPath>.sequence */
    byte spillRevision = 0, spillLimit, spillTimeline, spillAuthor;  /* the file <localPath>.spill */
    bool knows = false;             /* ghost: whether this machine was told that writes may be lost */
    byte lastLimit, lastTimeline, lastAuthor;           /* what its lease has stored last: RecentTransactions */
    bool stored;

begin:
    /* MeshDatabase.lock, PostgreSQLLock.init: takes the lock, which is free or has expired. */
    atomic {
        if
        :: writes < WRITES && tokens < LOCKS
        :: else -> goto end
        fi;
        tokens++;
        token = tokens;
        connect(s);
        timeline = server[s].timeline;      /* PostgreSQLRowStore.lock reads it first */
        server[s].fence++;
        server[s].token = token;
        committed(s)
    };
    atomic {
        /* The answer, with the header as of a later moment: PostgreSQLRowStore.lock. */
        if
        :: isBroken -> connect(s)           /* PostgreSQLSession.reconnecting: the same statements, the same token */
        :: else
        fi;
        if
        :: server[s].token == token -> fence = server[s].fence
        :: else -> goto begin
        fi;
        revision = server[s].revision;
        /* MeshDatabase.settleSpill */
        if
        :: spillRevision != 0 && revision == spillRevision - 1 && holds(s) ->
            assert(server[s].token == token);
            assert(s == primary);
            server[s].revision = spillRevision;
            server[s].limit = spillLimit;
            server[s].limitTimeline = spillTimeline;    /* sealed with the row */
            server[s].author = spillAuthor;
            committed(s);
            revision = spillRevision
        :: else                     /* was stored, or is outdated and put aside */
        fi;
        spillRevision = 0;
        /* SequenceNumberWitness.effective: the higher of both counts. If the server is behind, or was promoted since the
           numbers were reserved, numbers are left out. */
        next = server[s].limit;
        if
        :: witness > next -> next = witness + SKIP; knows = true
        :: else
#ifndef NO_TIMELINE
            if
            :: timeline > 1 && server[s].limitTimeline != timeline ->
                next = next + SKIP;
                knows = true
            :: server[s].limitTimeline == timeline && witness > 0 && witnessTimeline != timeline ->
                knows = true
            :: else
            fi
#endif
        fi;
        isTold = isTold || knows;
        lastLimit = server[s].limit;
        lastTimeline = server[s].limitTimeline;
        lastAuthor = server[s].author
    };

    do
    :: atomic {
        writes < WRITES ->
        /* DurableSequenceNumbers.store: a block of one number goes with each write. */
        writes++;
        author = writes;
        reserved = next + 1;
#ifdef NO_WITNESS
        send(next)
#endif
        };
retry:
        /* PostgreSQLRowStore.transact: one transaction, on condition of revision, fence and token. */
        atomic {
            if
            :: isBroken -> stored = false; connect(s); goto retry
            :: else ->
                if
                :: holds(s) && server[s].revision == revision && isOfTimeline(s) ->
                    assert(server[s].token == token);                       /* 2 */
                    assert(s == primary);                                   /* 4 */
                    server[s].revision = revision + 1;
                    server[s].limit = reserved;
                    server[s].limitTimeline = timeline;
                    server[s].author = author;
                    committed(s);
                    stored = true
#ifndef NO_TIMELINE
                :: holds(s) && server[s].revision <= revision && server[s].timeline != timeline ->
                    /* What of this lease the standby lacks is stored again. A lock that was lost long ago may have come
                       back with the standby, so others may have reserved numbers: DurableSequenceNumbers.extend. */
                    if
                    :: server[s].revision < revision ->
                        server[s].revision = revision;
                        server[s].limit = lastLimit;
                        server[s].limitTimeline = lastTimeline;
                        server[s].author = lastAuthor
                    :: else
                    fi;
                    timeline = server[s].timeline;
                    next = next + SKIP;
                    reserved = next + 1;
                    knows = true;
                    isTold = true;
                    goto retry
#endif
                :: else ->
                    /* An earlier attempt may have succeeded: nobody else can have written that revision. */
                    stored = holds(s) && server[s].revision == revision + 1;
#ifndef NO_TIMELINE
                    knows = knows || server[s].timeline != timeline;
                    isTold = isTold || knows
#endif
                fi
            fi
        };
        atomic {
            if
            :: isBroken ->          /* the answer did not come */
                if
                :: connect(s); goto retry
                :: spillRevision = revision + 1;    /* MeshDatabase.keep: patience is over */
                    spillLimit = reserved;
                    spillTimeline = timeline;
                    spillAuthor = author;
                    goto begin
                fi
            :: else
            fi;
            if
            :: !stored -> goto begin        /* stale: the lock is lost, or the server has gone back */
            :: else
            fi;
            assert(server[s].revision != revision + 1 || server[s].author == author);   /* 2 */
            assert(!hasLost[me] || knows);                                                  /* 3 */
            assert(!(hasLost[1] || hasLost[2]) || isTold);                                  /* 3 */
            lastLimit = reserved;
            lastTimeline = timeline;
            lastAuthor = author;
            revision++
        };
        atomic {
            /* SequenceNumberWitness.write: after the store, before the number is used. */
            witness = reserved;
            witnessTimeline = server[s].timeline;
            if
            :: !hasFailedOver -> acknowledged[me] = revision
            :: else
            fi
        };
#ifndef NO_WITNESS
        /* DurableSequenceNumbers.next, and the message leaves. */
        atomic { send(next); next = reserved }
#else
        next = reserved
#endif
    :: goto begin                   /* the client is killed, or releases its lock and starts again */
    :: break
    od;
end:
    skip
}

/* The primary dies and its standby takes over. */
proctype Failover() {
    atomic {
        server[0].alive = false;
        server[0].starts++;
        hasLost[1] = acknowledged[1] > server[1].revision;
        hasLost[2] = acknowledged[2] > server[1].revision;
#ifndef ASYNC
        assert(!hasLost[1] && !hasLost[2]);                                                 /* 3 */
#endif
        hasFailedOver = true;
        primary = 1;
        server[1].alive = true;
        server[1].timeline = 2
    };
    server[0].alive = true          /* it comes back, and still takes itself for the primary */
}

init {
    atomic {
        server[0].alive = true;
        server[0].timeline = 1;
        server[1].timeline = 1;
        run Client(1);
        run Client(2);
        run Failover()
    }
}
