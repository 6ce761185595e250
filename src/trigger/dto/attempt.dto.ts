import type { AttemptError } from '../../network/attempt-error.js';
import { answerOf, listOf, timeOrNull } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { ATTEMPT_CAUSES } from '../../store/tables/trigger/trigger.entity.js';
import type { Attempt, ResponseData } from '../attempt/attempt.js';
import type { Diagnosis } from '../attempt/diagnosis/diagnosis.js';

@ApiSchema({ description: 'Why an attempt failed' })
class WebhookAttemptErrorDto extends answerOf<AttemptError>({
  code: { example: 'http_status' },
  message: { example: 'The receiver answered 503.' },
}) {}

@ApiSchema({ description: 'What an error means, in plain words' })
export class WebhookDiagnosisDto extends answerOf<Diagnosis>({
  summary: { example: 'The receiver answered 503: it is overloaded or down for maintenance.' },
  advice: {
    example:
      'Look at the logs and the load of your service. While the schedule lasts, the request is sent again.',
  },
}) {}

@ApiSchema({ description: 'What came back, cut where it is too long' })
export class WebhookResponseDataDto extends answerOf<ResponseData>({
  status: { example: 200 },
  headers: {
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 'content-type': 'text/plain' },
  },
  body: { required: false, description: 'At most 16 KiB, as text', example: 'thanks' },
  truncated: { example: false },
  duration_ms: { example: 12 },
}) {}

@ApiSchema({ description: 'One attempt to deliver' })
export class WebhookAttemptDto extends answerOf<Attempt>({
  number: { example: 1 },
  cause: {
    enum: ATTEMPT_CAUSES,
    example: 'schedule',
    description:
      'Why it was made; `probe` tests a receiver that was left alone after failures, or whose webhook was disabled for them',
  },
  begin: timeOrNull,
  end: timeOrNull,
  duration_ms: { example: 12 },
  phases: {
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Milliseconds from the start of the attempt to the end of dns, connect, tls and headers',
    example: { connect: 2, headers: 11 },
  },
  response_data: { type: WebhookResponseDataDto, nullable: true },
  error: { type: WebhookAttemptErrorDto, nullable: true, example: null },
  diagnosis: { type: WebhookDiagnosisDto, nullable: true, example: null },
}) {}

@ApiSchema({ description: 'A page of the attempts of a trigger, newest first' })
export class WebhookAttemptListDto extends listOf(WebhookAttemptDto) {}
