import { Heartbeat } from './heartbeat.js';
import { LeaseRecovery } from './lease-recovery.js';
import { LeaseRecoveryRepository } from './lease-recovery.repository.js';
import { UnknownLeases } from './unknown-leases.js';

export const LEASES = {
  providers: [Heartbeat, LeaseRecovery, LeaseRecoveryRepository, UnknownLeases],
  exports: [],
};
