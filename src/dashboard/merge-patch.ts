/** JSON Merge Patch (RFC 7396): objects are patched member by member, `null` removes a member, everything else is replaced. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** What makes `after` of `before`; undefined when they are equal. Neither has a member that is null. */
export function mergePatch(before: Json | undefined, after: Json): Json | undefined {
  if (!isObject(before) || !isObject(after)) return isSame(before, after) ? undefined : after;
  const patch: Record<string, Json> = {};
  for (const [name, value] of Object.entries(after)) {
    const change = mergePatch(before[name], value);
    if (change !== undefined) patch[name] = change;
  }
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** What `patch` makes of `target`; what does not change is the same object. */
export function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/** A value without members that are null, which a patch cannot say. */
export type WithoutNulls<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? {
        readonly [Name in keyof Value as null extends Value[Name] ? never : Name]: WithoutNulls<
          Value[Name]
        >;
      } & {
        readonly [Name in keyof Value as null extends Value[Name] ? Name : never]?: WithoutNulls<
          Exclude<Value[Name], null>
        >;
      }
    : Value;

export function withoutNulls(value: object): Json {
  const text = JSON.stringify(value, (_, member: unknown) => member ?? undefined);
  return JSON.parse(text) as Json;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(left: Json | undefined, right: Json): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
