/** `1 order`, `2 orders`. `several`: the plural, where it is not the noun with an s. */
export function counted(count: number, noun: string, several = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : several}`;
}

const FEW = 5;

/** The first five names, and how many more there are. */
export function firstFew(names: readonly string[]): string {
  const named = names.slice(0, FEW).join(", ");
  return names.length > FEW ? `${named} and ${names.length - FEW} more` : named;
}
