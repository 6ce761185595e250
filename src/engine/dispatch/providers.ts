import { Capacity } from '../accept/capacity.js';
import { Claimer } from './claimer.js';
import { Claims } from './claims.js';
import { Dispatcher } from './dispatcher.js';
import { DueRepository } from './due.repository.js';
import { DueClaims } from './due-claims.js';
import { DueScan } from './due-scan.js';
import { UrgentClaims } from './urgent-claims.js';

export const DISPATCH = {
  providers: [
    Dispatcher,
    { provide: Capacity, useExisting: Dispatcher },
    Claimer,
    Claims,
    DueClaims,
    UrgentClaims,
    DueScan,
    DueRepository,
  ],
  exports: [Dispatcher],
};
