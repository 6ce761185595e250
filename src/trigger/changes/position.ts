const POSITION = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** Where a client goes on: the id of a change, within an epoch of the watch. */
export const positionOf = (id: number, epoch: string): string => `${id}.${epoch}`;

/** The id that a position names; null if it is of another epoch, or none. */
export function idIn(position: string, epoch: string): number | null {
  const [, id, of] = POSITION.exec(position) ?? [];
  return of === epoch ? Number(id) : null;
}
