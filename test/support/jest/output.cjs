const KEPT = 3000;
const streams = [process.stdout, process.stderr];
let written = '';

/** Keeps back what is written on the terminal from now on. @returns a function that ends this. */
function keepOutput() {
  written = '';
  const writes = streams.map((stream) => stream.write);
  for (const stream of streams) stream.write = keep;
  return () => {
    for (const [index, stream] of streams.entries()) stream.write = writes[index];
  };
}

function keep(chunk, encoding, done = encoding) {
  written = (written + Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8')).slice(-KEPT);
  if (typeof done === 'function') process.nextTick(done);
  return true;
}

/** Shows with a test's error, after its stack, the end of what was kept back. */
function showOutput(error) {
  if (!(error instanceof Error) || written.trim() === '') return;
  const lines = written.trim().split('\n');
  error.stack = [error.stack, 'Written before it failed:', ...lines].join('\n');
  written = '';
}

module.exports = { keepOutput, showOutput };
