/** The points at which a test can kill the process, in the order in which a trigger passes them. */
export const FAILPOINTS = [
  'accept-begun',
  'accept-written',
  'accept-committed',
  'accept-handed-over',
  'claim-leased',
  'claim-committed',
  'send-before',
  'send-after',
  'settle-begun',
  'settle-updated',
  'settle-written',
  'settle-committed',
  'count-written',
  'count-committed',
  'notice-written',
  'notice-committed',
  'release-before',
  'release-after',
  'stop-given-back',
  'stop-left',
  'start-registered',
  'recover-removed',
  'recover-released',
  'probe-written',
  'probe-committed',
  'revive-written',
  'revive-committed',
  'redeliver-begun',
  'redeliver-made',
  'redeliver-written',
  'redeliver-committed',
  'move-frozen',
  'move-exported',
  'move-inserted',
  'move-imported',
  'move-closed',
  'move-removed',
  'move-finished',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

let armed: string | undefined;
let passesLeft = 0;

/** @param spec `name` or `name@n`: the process dies the n-th time it passes that point. */
export function armFailpoint(spec: string | undefined): void {
  const [name, passes = '1'] = spec?.split('@') ?? [];
  armed = name;
  passesLeft = Number(passes);
}

/** Counts this pass. @returns whether the process should die now. */
export const isArmed = (name: Failpoint) => name === armed && --passesLeft === 0;

/** Kills the process if a test has armed this point; otherwise does nothing. */
export function failpoint(name: Failpoint): void {
  if (isArmed(name)) die();
}

/** Ends the process as a crash would: no handler runs, and no transaction is committed or rolled back. */
export function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process outlived its SIGKILL.');
}
