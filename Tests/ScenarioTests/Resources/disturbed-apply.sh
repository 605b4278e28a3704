#!/usr/bin/env bash
# An apply with a process simulator beside it that is killed after some time, and one more apply.
#
#   disturbed-apply.sh MESHPLAN SEED [SECONDS]     in a folder with a definition and its database
#
# Prints "killed" or "finished" with the seconds that the first apply took, then the database as `show --json` has it.
# Fails with a message if anything ends otherwise than it should.
set -uo pipefail
meshplan=$1 seed=$2 moment=${3-}

fail() {
    echo "$1"
    tail -n 25 ./*.log
    exit 1
}

# Faster than real time, yet slow enough for the timers of segmented messages.
exec 3< <(exec "$meshplan" sim --listen unix:s --speed 20 --hops 2 --seed "$seed" 2>simulator.log)
simulator=$!
trap 'kill -KILL "$simulator" 2>/dev/null' EXIT
read -r -t 60 _ <&3 || fail "the simulator does not start"

apply=("$meshplan" apply --via unix:s --auto-approve --listen 0)
start=$EPOCHREALTIME
if [ -n "$moment" ]; then
    # In the foreground, so that it waits for what it has killed: the database's lock goes with the process.
    timeout --foreground --signal=KILL "$moment" "${apply[@]}" >first.log 2>&1
else
    "${apply[@]}" >first.log 2>&1
fi
status=$?
seconds=$(awk "BEGIN { print $EPOCHREALTIME - $start }")
case $status in
0) echo "finished $seconds" ;;
137 | 124)
    # 124 says that it ended by itself just as it was to be killed.
    echo "killed $seconds"
    "${apply[@]}" >second.log 2>&1 || fail "the second apply ends with $?"
    ;;
*) fail "the first apply ends with $status" ;;
esac

"$meshplan" plan --detailed-exitcode >plan.log 2>&1 || fail "the plan is not empty afterwards"
kill -TERM "$simulator"
wait "$simulator" || fail "the simulator has seen a rule broken"
"$meshplan" sim status >status.log 2>&1
grep -q "All agree with the mesh database" status.log || fail "nodes and database differ"
"$meshplan" show --json
