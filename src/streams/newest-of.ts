import type { Change } from '../engine/changes/change.repository.js';
import type { ChangedSubject, ChangeSource } from './follower.js';

/** Each subject once, at its last change, in the order of these. */
export function newestOf({ kind }: ChangeSource, changes: Change[]): ChangedSubject[] {
  const newest = new Map<string, number>();
  for (const change of changes)
    if (change.kind === kind)
      newest.set(change.subjectId, Math.max(change.id, newest.get(change.subjectId) ?? 0));
  return [...newest].map(([subjectId, id]) => ({ id, subjectId })).sort((one, other) => one.id - other.id);
}
