import { GroupPositions } from './group-positions.repository.js';
import { Groups } from './groups.repository.js';
import { OrderingRepository } from './ordering.repository.js';
import { OrderingUpkeep } from './ordering-upkeep.js';

export const ORDERING = {
  providers: [OrderingUpkeep, OrderingRepository, GroupPositions, Groups],
  exports: [],
};
