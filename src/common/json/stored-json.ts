import { randomUUID } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/**
 * JSON that is stored as bytes, and put into an answer as those: parsing a body of a mebibyte to write it anew would
 * hold up everybody, and change the order of its keys and the spelling of its numbers.
 *
 * A mark stands for it until the answer is written, so that an application's interceptors may wrap or transform the
 * answer like any other.
 */
export class StoredJson {
  private readonly mark = randomUUID();
  private readonly stored: Buffer[] = [];

  /** @returns what stands for it in the answer. */
  markOf(json: Buffer): string {
    this.stored.push(json);
    return `${this.mark}${this.stored.length - 1}`;
  }

  /**
   * The answer as JSON, with what is stored in the place of its marks. Text, because of bytes Node would put the head
   * before a `100 Continue` that has still to be sent (pipelined requests with `Expect`).
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

/** What writes an answer: Fastify's reply, or Express's response. */
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
  // At the very end: whatever else an application does with answers has been done by then.
  if (response.serializer) response.serializer(write);
  else response.json = (answer) => response.send(write(answer));
  return stored;
});
