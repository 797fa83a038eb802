/** What came of new parameters, by the names of the strategies that have other ones now. */
export function tunedText(changed: readonly string[]): string {
  return changed.length === 0
    ? "No parameter differs; nothing was changed."
    : `New parameters: ${changed.join(", ")}.`;
}
