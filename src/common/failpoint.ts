/** The points at which a process can be made to die, in the order in which a trigger passes them. */
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
  'release-before',
  'release-after',
  'stop-given-back',
  'stop-left',
  'start-registered',
  'recover-removed',
  'recover-released',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

let armed: string | undefined;
let passesLeft = 0;

/** @param spec `name` or `name@n`: the process dies as it passes that point for the n-th time. */
export function armFailpoint(spec: string | undefined): void {
  const [name, passes = '1'] = spec?.split('@') ?? [];
  armed = name;
  passesLeft = Number(passes);
}

/** Whether the process is to die at this point now. */
export const isArmed = (name: Failpoint) => name === armed && --passesLeft === 0;

/** Ends the process as a crash would, between two steps, where a test has armed this point; otherwise does nothing. */
export function failpoint(name: Failpoint): void {
  dieIf(isArmed(name));
}

/** Ends the process as a crash would, where a point that was passed on to here is armed. */
export function dieIf(armed: boolean): void {
  if (armed) process.kill(process.pid, 'SIGKILL');
}
