import * as z from 'zod';

type Fields<Shape> = {
  readonly [Name in keyof Shape]-?: z.ZodType<object extends Pick<Shape, Name> ? Shape[Name] | undefined : Shape[Name]>;
};

/** The schema of an interface: the compiler compares both, field by field. */
export function shape<Shape>(fields: Fields<Shape>): z.ZodType<Shape> {
  return z.object(fields) as unknown as z.ZodType<Shape>;
}

export const anyText = z.string();
export const nullableText = anyText.nullable();
export const texts = z.array(anyText);
export const bool = z.boolean();
/** A whole number, no larger than one that can be counted to. */
export const wholeNumber = z.int().min(0);
/** Any JSON object. */
export const json = z.record(z.string(), z.unknown());
