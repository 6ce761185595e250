#!/bin/bash
# Starts a node of a Galera cluster. The arguments are the server and its options; from the environment come
#   DATA    the folder of its data
#   NODES   the addresses of all nodes, separated by commas
#   BEGINS  "yes" for one node, and that only at the first start of all: it begins the cluster. A node that has lost its
#           data has to join the others, or they would copy its empty databases.
#   ENTRY   a program that runs the server, such as the entry point of an image (optional)
set -eu

state=$DATA/grastate.dat
address=gcomm://$NODES

# A node takes connections of clients only once it has been in the cluster: until then it listens to other nodes alone.
cluster_runs() {
  local node
  for node in ${NODES//,/ }; do
    if timeout 2 bash -c ": <'/dev/tcp/${node%:*}/3306'" 2>/dev/null; then return; fi
  done
  return 1
}

# Of nodes that were stopped in order, the last one says in its file that it has everything. It begins anew, and the others
# join it; they would otherwise wait for each other. After a crash nobody says so: the nodes that were last together find
# each other then.
if { [ "$BEGINS" = yes ] && [ ! -e "$state" ]; } || grep -qs '^safe_to_bootstrap: *1$' "$state"; then
  if cluster_runs; then
    echo "Another node takes connections: joining it"
  else
    echo "Beginning the cluster"
    address=gcomm://
  fi
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
