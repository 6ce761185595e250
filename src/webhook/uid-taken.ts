import { Problem } from '../platform/problem.js';

const UID_TAKEN = 'uid_taken';

export const uidTaken = () =>
  new Problem(409, UID_TAKEN, 'Another webhook of this user has this uid; change that one, or PUT it.');

export const isUidTaken = (error: unknown) => error instanceof Problem && error.code === UID_TAKEN;
