import { AcceptRepository } from './accept.repository.js';
import { AcceptStore } from './accept-store.js';
import { Acceptor } from './acceptor.js';
import { DecisionSets } from './decision-sets.js';
import { FanOut } from './fan-out.js';
import { HandOver } from './hand-over.js';
import { SubscriberRepository } from './subscribers.repository.js';

export const ACCEPT = {
  providers: [Acceptor, AcceptStore, AcceptRepository, SubscriberRepository, FanOut, DecisionSets, HandOver],
  exports: [Acceptor],
};
