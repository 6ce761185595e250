import { Capacity } from '../accept/capacity.js';
import { Claimer } from './claimer.js';
import { Claims } from './claims.js';
import { DispatchCapacity } from './dispatch-capacity.js';
import { Dispatcher } from './dispatcher.js';
import { DueRepository } from './due.repository.js';
import { DueClaims } from './due-claims.js';
import { DueScan } from './due-scan.js';
import { DueTriggers } from './due-triggers.js';
import { UrgentClaims } from './urgent-claims.js';
import { WaitingTriggers } from './waiting-triggers.js';

export const DISPATCH = {
  providers: [
    Dispatcher,
    { provide: Capacity, useClass: DispatchCapacity },
    Claimer,
    Claims,
    DueClaims,
    UrgentClaims,
    DueScan,
    DueTriggers,
    DueRepository,
    WaitingTriggers,
  ],
  exports: [Dispatcher],
};
