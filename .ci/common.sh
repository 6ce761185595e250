# What both checks share: the servers, the steps, and the closing lines. Sourced by `run` and `full`.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null
# Under production npm would leave out the devDependencies, and the tests would meet production's rules.
unset NODE_ENV
export CI=true REQUIRE_MARIADB=1
local_mariadb=mysql://root@127.0.0.1:3306
export TEST_MYSQL_URL=${TEST_MYSQL_URL:-$local_mariadb}

scratch=$(mktemp -d) || exit 1
# Reports of Jest, and what the applications printed, in the order of the steps.
reports=()
applications_log=$scratch/applications.log
failed_steps=()
durations=()

# Runs at every exit, so that the counts are the last line whatever happened.
finish() {
  local code=$?
  ((${#failed_steps[@]} > 0)) && code=1
  (IFS=,; echo "Times: ${durations[*]}")
  node .ci/closing-lines.mjs "${failed_steps[*]}" "$applications_log" "${reports[@]}" || {
    code=1
    echo '0 passed, 1 failed'
  }
  rm -rf "$scratch"
  exit "$code"
}
trap finish EXIT

step() {
  local name=$1 code=0 began=$SECONDS
  shift
  echo "== $name"
  "$@" || code=$?
  durations+=("$name $((SECONDS - began)) s")
  ((code == 0)) && return
  failed_steps+=("$name")
  return 1
}

install_packages() {
  npm ci --include=dev --workspaces --include-workspace-root --no-audit --no-fund || return
  # npm puts this one before the Node in PATH, which the tests then run on.
  [[ -z ${TEST_SYSTEM_NODE:-} ]] || rm node_modules/.bin/node
}

# The server speaks first: the fifth byte of its greeting is the protocol version, 10, or 255 for a refusal.
mariadb_answers() {
  node -e '
    const end = (problem) => { if (problem) console.error(problem); process.exit(problem ? 1 : 0); };
    if (!URL.canParse(process.env.TEST_MYSQL_URL)) end("not a URL");
    const url = new URL(process.env.TEST_MYSQL_URL);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const socket = require("net").connect({ host, port: Number(url.port || 3306) });
    socket.setTimeout(2000, () => end("no answer within 2 s"));
    socket.on("error", (error) => end(error.code || error.message));
    socket.on("close", () => end("connection closed"));
    socket.once("data", (greeting) => end(greeting[4] === 10 ? "" : "refused: " + greeting.subarray(7)));
  '
}

# A server that is installed here but does not run is started; one that is only named is left alone.
wait_for_mariadb() {
  local attempt problem
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    problem=$(mariadb_answers 2>&1) && return
    [[ $attempt == 1 && $TEST_MYSQL_URL == "$local_mariadb" ]] && start_mariadb
    ((attempt < 10)) && sleep 2
  done
  # Without user and password.
  echo "MariaDB does not answer at ${TEST_MYSQL_URL##*@} (${problem##*$'\n'})." >&2
  echo 'Start one, or point TEST_MYSQL_URL at one: mysql://user:password@host:3306, with the right to create databases.' >&2
  return 1
}

start_mariadb() {
  command -v mariadbd >/dev/null && install -d -o mysql /run/mysqld || return
  setsid mariadbd >/dev/null 2>&1 &
}
