import { Problem } from '../common/problem.js';
import type { MoveState } from './user-move.entity.js';

const CODE = 'user_moved';

/** 409: a change of what is being moved, or has moved, to another cell. */
export const changesRefused = (state: Exclude<MoveState, 'here'>) =>
  new Problem(
    409,
    CODE,
    state === 'gone'
      ? 'This user has moved to another cell of the service. Nothing was changed; make the change there.'
      : 'This user is moving to another cell of the service, and its webhooks and API keys cannot be changed here any ' +
          'more. Nothing was changed; make the change there, once they have arrived.',
  );

/** 409: a report for a user whom this cell does not serve any more. */
export const reportRefused = () =>
  new Problem(
    409,
    CODE,
    'This user has moved to another cell of the service. Nothing was stored; report to the base URL of that one.',
  );
