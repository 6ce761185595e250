import { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';
import { TaskLease } from './task-lease.js';

export const INSTANCE = {
  providers: [Instance, TaskLease, InstanceRepository],
  exports: [Instance, TaskLease],
};
