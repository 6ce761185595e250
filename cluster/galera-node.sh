#!/bin/sh
# Starts a node of a Galera cluster. The arguments are the server and its options; from the environment come
#   DATA    the folder of its data
#   NODES   the addresses of all nodes, separated by commas
#   BEGINS  "yes" for the one node that begins the cluster if it has no data yet; all others join it
#   ENTRY   a program that runs the server, such as the entry point of an image (optional)
set -eu

state=$DATA/grastate.dat
address=gcomm://$NODES
if [ "$BEGINS" = yes ] && [ ! -e "$state" ]; then
  address=gcomm://
fi

# After a crash the server does not know how far it has come: it would copy everything from another node, and if all have
# crashed, none would know who is ahead.
position=
if grep -qs '^seqno: *-1$' "$state"; then
  position=$("$@" "--wsrep-cluster-address=$address" --wsrep-recover 2>&1 |
    sed -n 's/.*Recovered position:* *//p' | tail -n 1)
  echo "Recovered position: ${position:-none, so all data will be copied}"
fi

exec ${ENTRY:-} "$@" "--wsrep-cluster-address=$address" ${position:+"--wsrep-start-position=$position"}
