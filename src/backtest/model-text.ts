import type { UsedModel } from "./used-models.ts";

/** A model and its parameters for people: `constant, entryMs 20, responseMs 20, feedMs 20`. */
export function modelText({ model, ...parameters }: UsedModel): string {
  return [model, ...textsOf(parameters)].join(", ");
}

function textsOf(values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values).map(([name, value]) =>
    typeof value === "object" && value !== null
      ? `${name} (${textsOf({ ...value }).join(", ")})`
      : `${name} ${String(value)}`,
  );
}
