import { parseArgs } from 'node:util';

/** Reads the command line as Node's `parseArgs` does. Says which option it does not know, and ends. */
export function readCommandLine(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS_')) throw error;
    const options = Object.entries(config.options).map(([name, { type }]) =>
      type === 'boolean' ? `--${name}` : `--${name} VALUE`,
    );
    return refuse(`${error.message}\nThe options are: ${options.join(', ')}`);
  }
}

/** Ends the tool, as it was called in a way that it does not understand. */
export function refuse(problem) {
  console.error(problem);
  process.exit(2);
}
