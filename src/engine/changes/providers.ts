import { ChangeRepository } from './change.repository.js';
import { ChangeFeed } from './change-feed.js';
import { ChangeLog } from './change-log.repository.js';
import { ChangePruning } from './change-pruning.js';
import { Positions } from './position.js';
import { WatchRepository } from './watch.repository.js';
import { Watch } from './watch.service.js';

export const CHANGES = {
  providers: [ChangeLog, ChangeFeed, ChangeRepository, ChangePruning, Positions, Watch, WatchRepository],
  exports: [ChangeLog, ChangeFeed],
};
