import { AcceptRepository } from './accept.repository.js';
import { Acceptor } from './acceptor.js';
import { DecisionSets } from './decision-sets.js';
import { FanOut } from './fan-out.js';
import { SubscriberRepository } from './subscribers.repository.js';

export const ACCEPT = {
  providers: [Acceptor, AcceptRepository, SubscriberRepository, FanOut, DecisionSets],
  exports: [Acceptor],
};
