import type { Sql } from '../../store/sql.js';
import { hasStatus } from './transitions.js';

const HAS_ENDED = hasStatus(['SUCCEEDED', 'FAILED', 'CANCELLED']);

/** Removes triggers; one that was made due again meanwhile stays. @param ids SQL for a list of them. */
export const removeSql = (sql: Sql, ids: string) =>
  `${sql.deleteByKey('webhook_trigger')} WHERE id IN ${ids} AND ${HAS_ENDED}`;
