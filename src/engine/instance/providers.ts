import { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';
import { OtherInstances } from './other-instances.js';
import { TaskLease } from './task-lease.js';

export const INSTANCE = {
  providers: [Instance, OtherInstances, TaskLease, InstanceRepository],
  exports: [Instance, TaskLease],
};
