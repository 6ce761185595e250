import { HealthRepository } from './health.repository.js';
import { RecoverFrom } from './recover-from.repository.js';

export const HEALTH = {
  providers: [HealthRepository, RecoverFrom],
  exports: [HealthRepository],
};
