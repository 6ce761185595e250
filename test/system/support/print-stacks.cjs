// Loaded by --require into a process of the service: prints where the lines come from that it prints to stdout.
const { log } = console;
console.log = (...args) => log(...args, new Error('printed').stack);
