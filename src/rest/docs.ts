import type * as swagger from '@nestjs/swagger';

type Swagger = typeof swagger;
type Decorator = Extract<keyof Swagger, `Api${string}`>;
type Decorate = (swagger: Pick<Swagger, Decorator>) => void;

/** Decorations in their order, until the library is there. */
const waiting: Decorate[] = [];
let library: Pick<Swagger, Decorator> | undefined;

/**
 * The decorator of the same name of `@nestjs/swagger`, applied when the document is wanted: the library is half a thousand
 * modules, and no other call needs it.
 */
const late =
  <Name extends Decorator>(name: Name) =>
  (...given: Parameters<Swagger[Name]>): ClassDecorator & MethodDecorator & PropertyDecorator =>
  (...target: unknown[]): void => {
    const decorate: Decorate = (from) => {
      const make = from[name] as (...args: unknown[]) => (...on: unknown[]) => void;
      make(...given)(...target);
    };
    if (library) decorate(library);
    else waiting.push(decorate);
  };

/** Describes the API's controllers and classes for the library's document, once; later ones are described at once. */
export function describeApi(from: Pick<Swagger, Decorator>): void {
  library ??= from;
  for (const decorate of waiting.splice(0)) decorate(library);
}

export const ApiBearerAuth = late('ApiBearerAuth');
export const ApiBody = late('ApiBody');
export const ApiExcludeController = late('ApiExcludeController');
export const ApiExtraModels = late('ApiExtraModels');
export const ApiHeader = late('ApiHeader');
export const ApiOperation = late('ApiOperation');
export const ApiProperty = late('ApiProperty');
export const ApiResponse = late('ApiResponse');
export const ApiSchema = late('ApiSchema');
export const ApiTags = late('ApiTags');

/** Where a class is in the document. Its schema has its name. */
export const getSchemaPath = ({ name }: { name: string }) => `#/components/schemas/${name}`;
