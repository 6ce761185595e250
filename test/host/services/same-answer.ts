import { expect } from '@jest/globals';
import type { Camel } from '../../../src/rest/camel.js';

/** An answer of the REST API with its fields in camelCase; what an object's own keys are of (headers) stays. */
export type Camelised<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends (infer Item)[]
    ? Camelised<Item>[]
    : string extends keyof T
      ? T
      : { [Name in keyof T as Camel<Name>]: Camelised<T[Name]> };

/** `Answer` if it has exactly the fields and types of the DTO, and `never` otherwise. */
export type Exactly<Dto, Answer> =
  (<T>() => T extends Camelised<Dto> ? 1 : 2) extends <T>() => T extends Camelised<Answer> ? 1 : 2
    ? Answer
    : never;

type Json = unknown;

/** Names under which users keep names of their own. */
const USERS_OWN = ['headers', 'body'];

/** A service gives the body sent, and a record, as their text. */
const parsed = (name: string, value: Json) =>
  /^(body|data)$/.test(name) && typeof value === 'string' && value.startsWith('{')
    ? JSON.parse(value)
    : value;

function mapped(value: Json, nameOf: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => mapped(item, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    nameOf(name),
    USERS_OWN.includes(name) || typeof item === 'string' ? parsed(name, item) : mapped(item, nameOf),
  ]);
  return Object.fromEntries(entries);
}

const camelised = (value: Json) =>
  mapped(value, (name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));

/** Replaces what differs between two objects that were made alike. */
function withoutIdentity(value: Json): Json {
  const text = JSON.stringify(value)
    .replace(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"an id"')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]{12}Z"/g, '"a time"')
    .replace(/"(whsec|whk)_[^"]+"/g, '"a secret"')
    .replace(/"(PENDING|DELIVERING)"/g, '"under way"')
    .replace(/"phases":\{[^}]*\}/g, '"phases":{}')
    .replace(/"durationMs":\d+/g, '"durationMs":1')
    .replace(/"(date|webhook-signature|webhook-timestamp)":"[^"]+"/g, '"$1":"of its time"')
    .replace(/"nextAttemptAt":(null|"a time")/g, '"nextAttemptAt":"a time or null"');
  return JSON.parse(text);
}

/** Compares services' answers with the REST API's, and keeps them. */
export class Answers {
  readonly all: object[] = [];

  /** Expects both answers about one object to be the same. @param Dto only for the compiler: it declares the fields. */
  async same<Dto, Answer extends object>(
    _Dto: new () => Dto,
    rest: Promise<Json>,
    answer: Promise<Answer & Exactly<Dto, Answer>>,
  ): Promise<Answer> {
    return this.compare(await rest, await answer, (value) => value);
  }

  /** The same for two objects that were made alike: their ids, times and secrets differ. */
  async alike<Dto, Answer extends object>(
    _Dto: new () => Dto,
    rest: Promise<Json>,
    answer: Promise<Answer & Exactly<Dto, Answer>>,
  ): Promise<Answer> {
    return this.compare(await rest, await answer, withoutIdentity);
  }

  private compare<Answer extends object>(rest: Json, answer: Answer, seen: (value: Json) => Json): Answer {
    this.all.push(answer);
    expect(seen(mapped(answer, (name) => name))).toEqual(seen(camelised(rest)));
    return answer;
  }
}
