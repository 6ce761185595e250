// Nest ends the process by sending itself the signal again, and then Node writes no profile: leave by `exit` instead.
const kill = process.kill.bind(process);
process.kill = (pid, signal) => (pid === process.pid ? process.exit(0) : kill(pid, signal));
