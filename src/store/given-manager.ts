import type { EntityManager } from 'typeorm';

const MARK = Symbol.for('EntityManager');

/** Whether an application gave an EntityManager, which may be of another copy of TypeORM: it is known by TypeORM's own mark. */
export const isEntityManager = (given: unknown): given is EntityManager =>
  typeof given === 'object' && given !== null && (given as Record<string, unknown>)['@instanceof'] === MARK;
