import * as z from 'zod';

export type Schema = z.core.$ZodType;
export type SchemaDef = z.core.$ZodTypes['_zod']['def'];

/** A field's schema without the wrappers that only say how it may be left out. */
export interface Field {
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

export interface Bounds {
  readonly min: number | null;
  readonly max: number | null;
  readonly isInteger: boolean;
  readonly minLength: number;
  readonly maxLength: number | null;
  readonly pattern: RegExp | null;
  readonly format: string | null;
  /** A custom schema that stands for an object. */
  readonly isObject: boolean;
}

export function defOf(schema: Schema): SchemaDef {
  return (schema as z.core.$ZodTypes)._zod.def;
}

export function fieldOf(schema: Schema): Field {
  const def = defOf(schema);
  if (def.type === 'optional') return { ...fieldOf(def.innerType), isRequired: false };
  if (def.type === 'nullable') return { ...fieldOf(def.innerType), isNullable: true };
  if (def.type === 'readonly') return fieldOf(def.innerType);
  return { schema, isRequired: true, isNullable: false };
}

interface Meta {
  readonly type?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly format?: string;
}

/** The bounds that the checks of a schema and fields.ts set on a value. */
export function boundsOf(schema: Schema): Bounds {
  const meta = z.globalRegistry.get(schema) as Meta | undefined;
  const bounds = {
    min: null as number | null,
    max: null as number | null,
    isInteger: (defOf(schema) as { format?: string }).format === 'safeint',
    minLength: 0,
    maxLength: meta?.maxLength ?? null,
    pattern: meta?.pattern === undefined ? null : new RegExp(meta.pattern),
    format: meta?.format ?? null,
    isObject: meta?.type === 'object',
  };
  for (const check of defOf(schema).checks ?? []) {
    const def = check._zod.def as z.core.$ZodCheckDef & Record<string, unknown>;
    if (def.check === 'greater_than') bounds.min = def.value as number;
    if (def.check === 'less_than') bounds.max = def.value as number;
    if (def.check === 'number_format') bounds.isInteger = true;
    if (def.check === 'min_length') bounds.minLength = def.minimum as number;
    if (def.check === 'max_length') bounds.maxLength = def.maximum as number;
    if (def.check === 'string_format') bounds.pattern = (def.pattern as RegExp | undefined) ?? bounds.pattern;
  }
  return bounds;
}

/** The values of an enum or a literal; null for any other schema. */
export function optionsOf(schema: Schema): readonly unknown[] | null {
  const def = defOf(schema);
  if (def.type === 'enum') return Object.values(def.entries);
  return def.type === 'literal' ? def.values : null;
}

/** The branch of a union that a value is of. */
export function branchOf(options: readonly Schema[], value: unknown): Schema | undefined {
  return options.find((option) => z.safeParse(option, value).success);
}
