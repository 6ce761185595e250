/** The functions that a child process offers to its parent, by name. */
// biome-ignore lint/suspicious/noExplicitAny: each command has a parameter of its own
export type Commands = Record<string, (parameter: any) => unknown>;

interface Call {
  call: number;
  name: string;
  parameter: unknown;
}

/** Answers the calls of the parent process, and ends when that ends. */
export function serveCommands(commands: Commands): void {
  const send = (message: object) => process.send?.(message);
  process.on('message', async ({ call, name, parameter }: Call) => {
    try {
      send({ call, result: await commands[name]?.(parameter) });
    } catch (error) {
      send({ call, error: (error as Error).stack ?? String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  send({ ready: true });
}
