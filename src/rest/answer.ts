import type { ApiPropertyOptions } from '@nestjs/swagger';
import { type ClassConstructor, Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { type Camel, camelCase, type Snake } from './camel.js';
import type { Page } from './cursor.js';
import { ApiProperty } from './docs.js';

/** What a service answers as it is on the wire: at every depth under names in snake case. */
export type Wire<View> = View extends readonly (infer Item)[]
  ? Wire<Item>[]
  : View extends object
    ? { [Name in keyof View as Snake<Name>]: Wire<View[Name]> }
    : View;

/** The same the other way round. */
type ViewOf<Answer> = Answer extends readonly (infer Item)[]
  ? readonly ViewOf<Item>[]
  : Answer extends object
    ? { [Name in keyof Answer as Camel<Name>]: ViewOf<Answer[Name]> }
    : Answer;

interface AnswerField {
  /** Its name on the wire. */
  name: string;
  /** Its name in the view. */
  property: string;
  /** What the value becomes, or each of a list; null if it stays as it is. */
  Answer: ClassConstructor<object> | null;
}

/** The fields of each class by its prototype, with those that it inherits. */
const FIELDS = new WeakMap<object, AnswerField[]>();
const fieldsOf = (prototype: object): AnswerField[] =>
  FIELDS.get(prototype) ?? (prototype === Object.prototype ? [] : fieldsOf(Object.getPrototypeOf(prototype)));

/** For class-transformer, which would copy a value of another type, and drop names in it such as "constructor". */
class AsItIs {}

/**
 * A field of an answer, described once for class-transformer and for the OpenAPI document. The property has the name on
 * the wire; its value is that of the view's property of the same name in camelCase: `userId` for `user_id`. If its type is the
 * class of an answer, the value becomes one.
 */
export function Field(description: ApiPropertyOptions = {}): PropertyDecorator {
  return (target, key) => {
    const [type] = [description.type].flat();
    const isAnswer = typeof type === 'function' && fieldsOf(type.prototype).length > 0;
    const name = String(key);
    const field = {
      name,
      property: camelCase(name),
      Answer: isAnswer ? (type as ClassConstructor<object>) : null,
    };
    FIELDS.set(target, [...fieldsOf(target), field]);
    Expose({ name: field.property, toClassOnly: true })(target, name);
    Type(() => AsItIs)(target, name);
    Transform(({ obj }) => read(field, obj), { toClassOnly: true })(target, name);
    ApiProperty(description)(target, name);
  };
}

function read({ property, Answer }: AnswerField, view: object): unknown {
  const value = (view as Record<string, unknown>)[property];
  if (Answer === null || value === null || value === undefined) return value;
  return Array.isArray(value) ? value.map((one) => toRow(Answer, one)) : toRow(Answer, value);
}

/** The types that an example tells. Others have to be named. */
const TYPES: Record<string, unknown> = { string: String, number: Number, boolean: Boolean };

/**
 * A class with the fields of what a service answers, for the class of the answer to extend: `View` says which there are, and of
 * which types; here they are described. The type of a text, a number or a boolean need not be named beside an example.
 */
export function answerOf<View>(
  fields: {
    [Name in keyof Wire<View>]-?: ApiPropertyOptions;
  },
): new () => Wire<View> {
  // Written in this order, before those of the class that extends it.
  const unset = Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]));
  const Answer = class {
    constructor() {
      Object.assign(this, unset);
    }
  };
  for (const [name, given] of Object.entries<ApiPropertyOptions>(fields)) {
    const isNamed = 'type' in given || 'enum' in given;
    const type = isNamed ? {} : { type: TYPES[typeof given.example] ?? Object };
    Field({ ...type, ...given } as ApiPropertyOptions)(Answer.prototype, name);
  }
  return Answer as new () => Wire<View>;
}

/** A class with the fields of a page, for the class of a list to extend. */
export const listOf = <Item>(Item: ClassConstructor<Item>) =>
  answerOf<Page<Item>>({ data: { type: [Item] }, next_cursor: nextCursor } as never);

/** Makes an answer of the fields that its class declares; nothing else of the view is shown. */
export const toAnswer = <T extends object>(Answer: ClassConstructor<T>, view: ViewOf<T>): T =>
  plainToInstance(Answer, view, { excludeExtraneousValues: true });

/** Makes the same as {@link toAnswer}, fast enough for thousands of rows: class-transformer takes most of the time that each costs. */
export function toRow<T extends object>({ prototype }: ClassConstructor<T>, view: ViewOf<T>): T {
  const row: Record<string, unknown> = {};
  for (const field of fieldsOf(prototype as object)) {
    const value = read(field, view);
    if (value !== undefined) row[field.name] = value;
  }
  return row as T;
}

// What many fields say of themselves.

export const uuid = {
  type: String,
  format: 'uuid',
  example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42',
} as const;
export const time = { type: String, format: 'date-time', example: '2026-11-21T10:15:30.123Z' } as const;
export const timeOrNull = { ...time, nullable: true } as const;

/** `next_cursor` of every list. */
export const nextCursor = {
  type: String,
  nullable: true,
  example: 'AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU',
} as const;
