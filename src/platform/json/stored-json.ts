import { randomUUID } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/**
 * Stored JSON text that goes into an answer character for character. Parsing a body of 1 MiB and writing it again would block the event
 * loop, and would change the order of its keys and the spelling of its numbers.
 *
 * A placeholder stands for the JSON until the answer is written, so an application's interceptors can wrap or transform
 * the answer like any other.
 */
export class StoredJson {
  private readonly mark = randomUUID();
  private readonly stored: string[] = [];

  /** @returns the placeholder that stands for the JSON in the answer. */
  markOf(json: string): string {
    this.stored.push(json);
    return `${this.mark}${this.stored.length - 1}`;
  }

  /**
   * Serialises the answer, with the stored JSON in place of each placeholder. Returns text, not bytes: given bytes,
   * Node would write the head before a pending `100 Continue` (pipelined requests with `Expect`).
   */
  write(answer: unknown): string {
    const text = JSON.stringify(answer);
    if (this.stored.length === 0) return text;
    const [start, ...rest] = text.split(`"${this.mark}`);
    const spliced = rest.map((part) => {
      const quote = part.indexOf('"');
      return `${this.stored[Number(part.slice(0, quote))]}${part.slice(quote + 1)}`;
    });
    return [start, ...spliced].join('');
  }
}

/** Fastify's reply or Express's response. */
interface Answering {
  /** Fastify's. */
  serializer?(write: (answer: unknown) => string): unknown;
  getHeader(name: string): unknown;
  /** Express's. */
  json?(answer: unknown): unknown;
  send(text: string): unknown;
  header(name: string, value: string): unknown;
}

/** The stored JSON of the answer to this request, as a handler's parameter. */
export const Stored = createParamDecorator((_: unknown, context: ExecutionContext): StoredJson => {
  const response = context.switchToHttp().getResponse<Answering>();
  const stored = new StoredJson();
  const write = (answer: unknown) => {
    if (!response.getHeader('content-type'))
      response.header('content-type', 'application/json; charset=utf-8');
    return stored.write(answer);
  };
  // Installed last, so that it runs after everything that an application does to answers.
  if (response.serializer) response.serializer(write);
  else response.json = (answer) => response.send(write(answer));
  return stored;
});
