import { Problem } from '../platform/problem.js';
import type { UserMoveEntity } from '../store/tables/access/user-move.entity.js';

const CODE = 'user_moved';

/** @throws Problem 409 `user_moved` for a change of what is being moved, or has moved, to another cell. */
export function checkUnmoved(move: UserMoveEntity | null): void {
  if (move === null || move.state === 'here') return;
  throw new Problem(
    409,
    CODE,
    move.state === 'gone'
      ? 'This user has moved to another cell of the service. Nothing was changed; make the change there.'
      : 'This user is moving to another cell of the service, and its webhooks and API keys cannot be changed here any ' +
          'more. Nothing was changed; make the change there, once they have arrived.',
  );
}

/** 409: sending again what was accepted here, for a user whom this cell does not serve any more. */
export const resendRefused = () =>
  new Problem(
    409,
    CODE,
    'This user has moved to another cell of the service, and nothing is sent from here any more. Nothing was changed; ' +
      'report there again what is to be sent again.',
  );

/** 409: a report for a user whom this cell does not serve any more. */
export const reportRefused = () =>
  new Problem(
    409,
    CODE,
    'This user has moved to another cell of the service. Nothing was stored; report to the base URL of that one.',
  );

/** Whether a report was refused because of a move. */
export const isUserMoved = (error: unknown) => error instanceof Problem && error.code === CODE;
