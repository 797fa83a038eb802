import { stringify } from "yaml";

/** A value as YAML for people, without folded lines. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}
