import { ChangeRepository } from './change.repository.js';
import { ChangeLog } from './change-log.repository.js';
import { WatchRepository } from './watch.repository.js';
import { Watch } from './watch.service.js';

export const CHANGES = {
  providers: [ChangeLog, ChangeRepository, Watch, WatchRepository],
  exports: [ChangeLog, ChangeRepository, Watch, WatchRepository],
};
