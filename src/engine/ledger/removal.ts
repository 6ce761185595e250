import { hasStatus } from './transitions.js';

const HAS_ENDED = hasStatus(['SUCCEEDED', 'FAILED', 'CANCELLED']);

/** Removes a list of triggers on MySQL; one that was made due again meanwhile stays. */
export const REMOVE_LISTED = `DELETE t FROM webhook_trigger AS t FORCE INDEX (PRIMARY) WHERE t.id IN (?) AND ${HAS_ENDED}`;

/** Removes triggers on SQLite. @param ids SQL for the ids of some that have ended. */
export const removeThose = (ids: string) => `DELETE FROM webhook_trigger WHERE id IN ${ids}`;
