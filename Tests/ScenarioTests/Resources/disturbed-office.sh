#!/usr/bin/env bash
# An office commissioned from nothing over a lossy radio by applies that are killed, until one comes to its end.
#
#   disturbed-office.sh MESHPLAN SEED KILLS      in a folder with the files of the example
#
# Prints "killed" with the number of applies that were, then the database as `show --json` has it.
# Fails with a message if anything ends otherwise than it should.
set -uo pipefail
meshplan=$1 seed=$2 kills=$3
RANDOM=$seed

fail() {
    echo "$1"
    tail -n 25 ./*.log
    exit 1
}

"$meshplan" init --network office >init.log 2>&1 || fail "init ends with $?"
exec 3< <(exec "$meshplan" sim run --network office --devices devices/devices.yaml --listen unix:s --speed 8 \
    --hops 1 --loss 0.1 --seed "$seed" 2>simulator.log </dev/null)
simulator=$!
trap 'kill -KILL "$simulator" 2>/dev/null' EXIT
read -r -t 60 _ <&3 || fail "the simulator does not start"
# What the devices do is told on the same descriptor; nobody reads on, so it goes to nowhere.
cat <&3 >observations.log &

apply=("$meshplan" apply --via unix:s --auto-approve --secrets devices/secrets.csv --listen 100ms)
killed=0
for ((round = 1; round <= kills; round++)); do
    moment=$(awk "BEGIN { print 0.05 + $RANDOM / 32768 * 4 }")
    # In the foreground, so that it waits for what it has killed: the database's lock goes with the process.
    timeout --foreground --signal=KILL "$moment" "${apply[@]}" >"apply-$round.log" 2>&1
    case $? in
    137) killed=$((killed + 1)) ;;
    0) break ;;
    # 4 is applied in part; 124 says that it ended by itself just as it was to be killed.
    4 | 124) ;;
    *) fail "apply $round ends otherwise" ;;
    esac
done
# Loss may leave a node without an answer; that one is for the next apply, as the recap says.
for round in {1..8}; do
    "${apply[@]}" >"last-$round.log" 2>&1
    status=$?
    [ $status = 0 ] && break
    [ $status = 4 ] || fail "the last apply ends with $status"
done
[ $status = 0 ] || fail "eight applies in a row leave something"

"$meshplan" plan --detailed-exitcode >plan.log 2>&1 || fail "the plan is not empty afterwards"
kill -TERM "$simulator"
wait "$simulator" || fail "the simulator has seen a rule broken"
"$meshplan" sim status >status.log 2>&1
grep -q "All agree with the mesh database" status.log || fail "nodes and database differ"
echo "killed $killed"
"$meshplan" show --json
