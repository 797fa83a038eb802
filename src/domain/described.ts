/** A strategy's own numbers and words by name, from its `describe`. */
export type Described = Readonly<Record<string, number | string>>;

/** As one line: `hitRate 0.4, regime calm`. */
export function describedText(described: Described): string {
  return Object.entries(described)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
