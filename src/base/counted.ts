/** `1 order`, `2 orders`. `several`: the plural, where it is not the noun with an s. */
export function counted(count: number, noun: string, several = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : several}`;
}
