import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '../rest/docs.js';

interface StreamDocsOptions {
  /** The name of the events. */
  event: string;
  /** What `data` of an event holds. */
  of: Type;
}

/** A position, as an example. */
export const POSITION = 'Xb0lq4yT2vJ8sZkP1cWmE6nUoRa3dGfH7iLxQ9tVwYzBjKpS';

/** What holds for every stream. */
export const STREAM_DESCRIPTION =
  `Server-Sent Events, from every process within two seconds. Each has an \`id\`; sent back as
\`Last-Event-ID\`, it brings what came since, possibly some of it again. Where that is not known any more, as after five minutes without
any stream, the event \`reset\` comes first: read the list anew. A comment comes at least every 15 seconds, and says the position too.
A client that does not read is cut off. The answer ends after a quarter of an hour at most, when the key is deleted or the session is
over, and when the service stops; \`EventSource\` comes back by itself. At most 10 streams of a user and 200 of a process
(429 \`too_many_streams\`).`.replaceAll('\n', ' ');

/** Documents an answer of Server-Sent Events. */
export const StreamDocs = ({ event, of }: StreamDocsOptions) =>
  applyDecorators(
    ApiExtraModels(of),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'The `id` of the last event, or comment, that was received',
      schema: { type: 'string', example: POSITION },
    }),
    ApiResponse({
      status: 200,
      description: `Events \`${event}\`, whose \`data\` is a \`${of.name}\` as JSON on one line, and \`reset\``,
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          // OpenAPI 3.1 has no word for what the events of a stream hold. The example is made of it.
          ...({ 'x-events': { [event]: { $ref: getSchemaPath(of) } } } as object),
        },
      },
    }),
  );
