import { Injectable } from '@nestjs/common';
import { Problem } from '../../platform/problem.js';
import { Capacity } from '../capacity.js';

/** How many large answers may be in progress in this process. Each may hold some MiB until its caller has read it. */
const MAX_ANSWERS = 16;
/** The same for one user, so that a user who does not read answers blocks nobody else. */
const MAX_OF_USER = 2;

/** Limits how many large answers are made, or wait to be read, at once. */
@Injectable()
export class AnswerCapacity extends Capacity {
  constructor() {
    super({ total: MAX_ANSWERS, ofClient: MAX_OF_USER, refusal: tooMany });
  }
}

const tooMany = () =>
  new Problem(
    429,
    'too_many_answers',
    'Too many answers of this kind are under way; read those that you asked for, then try again.',
    { headers: { 'Retry-After': '1' } },
  );
