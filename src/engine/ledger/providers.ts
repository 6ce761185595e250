import { CancellationRepository } from './cancel/cancellation.repository.js';
import { Cancellations } from './cancel/cancellations.js';
import { UnwantedTriggers } from './cancel/unwanted-triggers.repository.js';
import { Ledger } from './ledger.repository.js';
import { OrderingMarks } from './ordering-marks.repository.js';
import { QueueSignals } from './queue-signals.js';
import { QueueTime } from './queue-time.js';
import { WebhookSwitch } from './webhook-switch.repository.js';

export const LEDGER = {
  providers: [
    Ledger,
    QueueSignals,
    QueueTime,
    OrderingMarks,
    CancellationRepository,
    UnwantedTriggers,
    Cancellations,
    WebhookSwitch,
  ],
  exports: [Ledger, QueueSignals, QueueTime, OrderingMarks, UnwantedTriggers, WebhookSwitch],
};
