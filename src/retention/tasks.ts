/** The tasks whose positions say how far retention has come. One instance has all of them. */
export const TASKS = {
  payload: 'retention-payload',
  rows: 'retention-rows',
  strays: 'retention-strays',
} as const;
