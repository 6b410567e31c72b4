import type * as z from 'zod';
import { isJsonObject, type JsonObject } from '../domain/words/json-object.ts';

// Zod copies what it parses, which takes as long as parsing the text. Most messages are correct: this walk finds that
// out from the same schema, without a copy. It leaves every case that it does not understand to Zod.

type Fits = (value: unknown) => boolean;
type Def = z.core.$ZodTypes['_zod']['def'];

const NEVER: Fits = () => false;
const known = new WeakMap<z.core.$ZodType, Fits>();

/** True only if Zod would accept the value and no object in it has a field that its schema does not name. */
export function fitsSchema(schema: z.core.$ZodType, value: unknown): boolean {
  return fitsOf(schema)(value);
}

function fitsOf(schema: z.core.$ZodType): Fits {
  const before = known.get(schema);
  if (before) return before;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const fits = makeFits(def, limitsOf(def.checks ?? []));
  known.set(schema, fits);
  return fits;
}

function makeFits(def: Def, limits: Limits): Fits {
  switch (def.type) {
    case 'string':
      return 'format' in def ? NEVER : makeString(limits);
    case 'number':
      return makeNumber(def, limits);
    case 'array':
      return makeList(fitsOf(def.element), limits);
    default:
      return makeOther(def, limits.others);
  }
}

function makeOther(def: Def, others: Fits | null): Fits {
  const fits = makeUnlimited(def);
  return others ? (value) => fits(value) && others(value) : fits;
}

function makeUnlimited(def: Def): Fits {
  switch (def.type) {
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'unknown':
      return (value) => value !== undefined;
    case 'literal':
      return makeOneOf(def.values);
    case 'enum':
      return makeOneOf(Object.values(def.entries));
    case 'object':
      return makeObject(def);
    case 'record':
      return isFreeForm(def) ? isPlainObject : NEVER;
    case 'optional':
    case 'nullable':
      return makeOrNothing(fitsOf(def.innerType), def.type === 'optional' ? undefined : null);
    case 'custom':
      return (value) => def.fn(value) === true;
    case 'union':
      return makeUnion(def as z.core.$ZodDiscriminatedUnionDef);
    default:
      return NEVER;
  }
}

function makeString({ min, max, others }: Limits): Fits {
  if (!others) return (value) => typeof value === 'string' && value.length >= min && value.length <= max;
  return (value) => typeof value === 'string' && value.length >= min && value.length <= max && others(value);
}

function makeNumber(def: z.core.$ZodNumberDef, { min, max, others }: Limits): Fits {
  if (others || ('format' in def && def.format !== 'safeint')) return NEVER;
  if ('format' in def)
    return (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  return (value) => Number.isFinite(value) && (value as number) >= min && (value as number) <= max;
}

function makeList(fits: Fits, { min, max, others }: Limits): Fits {
  return (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) return false;
    for (let at = 0; at < value.length; at++) if (!fits(value[at])) return false;
    return others === null || others(value);
  };
}

function makeOneOf(options: readonly unknown[]): Fits {
  if (options.length === 1) return (value) => value === options[0];
  const all = new Set(options);
  return (value) => all.has(value);
}

function makeOrNothing(fits: Fits, nothing: null | undefined): Fits {
  return (value) => value === nothing || fits(value);
}

interface Field {
  readonly fits: Fits;
  readonly isRequired: boolean;
}

function makeObject({ shape }: z.core.$ZodObjectDef): Fits {
  const fields = new Map<string, Field>();
  let requiredCount = 0;
  for (const [key, schema] of Object.entries(shape)) {
    const isRequired = schema._zod.optin === undefined;
    if (isRequired) requiredCount++;
    fields.set(key, { fits: fitsOf(schema), isRequired });
  }
  return (value) => {
    if (!isJsonObject(value)) return false;
    let missing = requiredCount;
    for (const key in value) {
      const field = fields.get(key);
      if (field === undefined || !field.fits(value[key])) return false;
      if (field.isRequired) missing--;
    }
    return missing === 0;
  };
}

/** Supports tagged unions only: the tag selects the branch. */
function makeUnion({ discriminator, options }: z.core.$ZodDiscriminatedUnionDef): Fits {
  if (discriminator === undefined) return NEVER;
  const branches = new Map<unknown, Fits>();
  for (const option of options) {
    for (const tag of option._zod.propValues?.[discriminator] ?? []) branches.set(tag, fitsOf(option));
  }
  return (value) => isJsonObject(value) && (branches.get(value[discriminator])?.(value) ?? false);
}

function isFreeForm({ keyType, valueType }: z.core.$ZodRecordDef): boolean {
  const [key, value] = [(keyType as z.core.$ZodType)._zod.def, (valueType as z.core.$ZodType)._zod.def];
  return key.type === 'string' && !key.checks && !('format' in key) && value.type === 'unknown' && !value.checks;
}

function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}

/** The checks of a schema: bounds of a number or a length, and the others. */
interface Limits {
  min: number;
  max: number;
  others: Fits | null;
}

function limitsOf(checks: readonly z.core.$ZodCheck<never>[]): Limits {
  const limits: Limits = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, others: null };
  for (const check of checks) addLimit(limits, check);
  return limits;
}

function addLimit(limits: Limits, check: z.core.$ZodCheck<never>): void {
  const def = check._zod.def as z.core.$ZodChecks['_zod']['def'] | z.core.$ZodCustomDef;
  if (def.check === 'min_length') limits.min = Math.max(limits.min, def.minimum);
  else if (def.check === 'max_length') limits.max = Math.min(limits.max, def.maximum);
  else if (def.check === 'greater_than' && def.inclusive) limits.min = Math.max(limits.min, Number(def.value));
  else if (def.check === 'less_than' && def.inclusive) limits.max = Math.min(limits.max, Number(def.value));
  else limits.others = both(limits.others, makeCheck(check, def));
}

function both(first: Fits | null, second: Fits): Fits {
  return first ? (value) => first(value) && second(value) : second;
}

function makeCheck(check: z.core.$ZodCheck<never>, def: z.core.$ZodCheckDef): Fits {
  if (def.check === 'string_format') return makePattern(def as z.core.$ZodCheckStringFormatDef);
  if (def.check !== 'custom') return NEVER;
  const { fn } = def as Partial<z.core.$ZodCustomDef>;
  return fn ? (value) => fn(value as never) === true : runCheck(check);
}

/** Runs a check of another kind. */
function runCheck(check: z.core.$ZodCheck<never>): Fits {
  return (value) => {
    const payload = { value: value as never, issues: [] };
    const waiting = check._zod.check(payload);
    return waiting === undefined && payload.issues.length === 0 && payload.value === value;
  };
}

function makePattern({ format, pattern }: z.core.$ZodCheckStringFormatDef): Fits {
  if (format !== 'regex' || !pattern || pattern.global || pattern.sticky) return NEVER;
  return (value) => pattern.test(value as string);
}
