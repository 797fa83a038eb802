import { z } from "zod";
import type { ConfigPath } from "./problem.ts";

/** A setting that is the name of a source. */
export interface NamedSource {
  readonly path: ConfigPath;
  readonly name: string;
}

/** The settings made with `sourceName()` in a value that `schema` gave, wherever they lie in it. */
export function namedSources(
  schema: z.core.$ZodType,
  value: unknown,
  path: ConfigPath = [],
): readonly NamedSource[] {
  if (z.globalRegistry.get(schema)?.["isSourceName"] === true) {
    return typeof value === "string" ? [{ path, name: value }] : [];
  }
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const within = (of: (key: string) => z.core.$ZodType | undefined) =>
    Object.entries(value ?? {}).flatMap(([key, part]) => {
      const inner = of(key);
      return inner === undefined
        ? []
        : namedSources(inner, part, [...path, Array.isArray(value) ? Number(key) : key]);
    });
  switch (def.type) {
    case "object":
      return within((key) => def.shape[key]);
    case "array":
      return within(() => def.element);
    case "record":
      return within(() => def.valueType);
    case "union":
      return def.options.flatMap((option) => namedSources(option, value, path));
    case "pipe":
      return namedSources(def.in, value, path);
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
      return namedSources(def.innerType, value, path);
    default:
      return [];
  }
}
