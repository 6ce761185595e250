import { ApiBody } from '../../rest/docs.js';

const example = {
  event_kind: 'ANALYSIS_FINISHED',
  user_id: 'acme',
  analysis_id: 'ana_1',
  record: {
    id: 'rec_1',
    name: 'Ada',
    analysis: [
      { id: 'ana_1', status: 'VALID' },
      { id: 'ana_2', status: 'PENDING' },
    ],
  },
};

/** The body of a reported lifecycle event. */
export const NotificationDocs = () =>
  ApiBody({
    schema: {
      type: 'object',
      required: ['event_kind', 'user_id', 'record'],
      additionalProperties: false,
      properties: {
        event_kind: { type: 'string', example: 'ANALYSIS_FINISHED' },
        user_id: { type: 'string', minLength: 1, maxLength: 128, description: 'Whose webhooks hear of it' },
        record: {
          type: 'object',
          required: ['id', 'analysis'],
          properties: {
            id: { type: 'string' },
            analysis: {
              type: 'array',
              description: '`analyses` is accepted in its place',
              items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
            },
          },
          additionalProperties: true,
          description: 'The record; all other fields pass through untouched',
        },
        analysis_id: {
          type: 'string',
          description: 'Which analysis finished; required for ANALYSIS_FINISHED',
        },
      },
    },
    examples: {
      analysis: { summary: 'An analysis finished', value: example },
      record: {
        summary: 'A record finished',
        value: { ...example, event_kind: 'RECORD_FINISHED', analysis_id: undefined },
      },
    },
  });
