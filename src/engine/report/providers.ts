import { BacklogRepository } from './backlog.repository.js';
import { DeliveryEvents } from './delivery-events.js';
import { NoticeRepository } from './notice.repository.js';

export const REPORT = {
  providers: [NoticeRepository, BacklogRepository, DeliveryEvents],
  exports: [NoticeRepository, BacklogRepository],
};
