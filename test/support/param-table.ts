import { z } from "zod";
import { settingRange } from "../../src/domain/setting.ts";

/** One parameter of a strategy, for people. */
export interface ParamRow {
  readonly name: string;
  readonly range: string;
  /** As written in YAML; `needed` when there is no default, `none` when it is optional. */
  readonly default: string;
  readonly sentence: string;
}

/** The parameters of a schema, in its order; empty when the schema is not an object. */
export function paramTable(schema: z.ZodType): readonly ParamRow[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, value]) => {
    const field = z.instanceof(z.ZodType).parse(value);
    const inner = innerOf(field);
    if (!(inner instanceof z.ZodObject)) return [rowOf(name, field)];
    return paramTable(inner).map((row) => ({ ...row, name: `${name}.${row.name}` }));
  });
}

/** The setting without what makes it optional. */
function innerOf(field: z.ZodType): z.ZodType {
  const isWrapped =
    field instanceof z.ZodOptional ||
    field instanceof z.ZodDefault ||
    field instanceof z.ZodPrefault;
  return isWrapped ? innerOf(z.instanceof(z.ZodType).parse(field.def.innerType)) : field;
}

/** What may be written for a setting, and what holds without it. */
export function settingText(field: z.ZodType): Pick<ParamRow, "range" | "default"> {
  return rowOf("", field);
}

function rowOf(name: string, field: z.ZodType): ParamRow {
  let fallback = "needed";
  let inner = field;
  let sentence = field.description;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault
  ) {
    fallback = inner instanceof z.ZodOptional ? "none" : written(inner.def.defaultValue);
    inner = z.instanceof(z.ZodType).parse(inner.def.innerType);
    sentence ??= inner.description;
  }
  return { name, range: rangeOf(inner), default: fallback, sentence: sentence ?? "" };
}

function rangeOf(setting: z.ZodType): string {
  const range = settingRange.get(setting)?.range;
  if (range !== undefined) return range;
  if (setting instanceof z.ZodEnum) return setting.options.join(", ");
  if (setting instanceof z.ZodBoolean) return "true, false";
  if (setting instanceof z.ZodNumber) {
    const { minValue, maxValue } = setting;
    return `${minValue ?? "any"} to ${maxValue ?? "any"}`;
  }
  return "";
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
