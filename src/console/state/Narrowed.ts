/** What is left of a choice when somebody types: whatever has each of the words somewhere. */
export const narrowed = <A extends readonly [value: string, words: string]>(
  options: ReadonlyArray<A>,
  typed: string
): ReadonlyArray<A> => {
  const sought = typed.toLowerCase().split(/\s+/)
  return options.filter(([, words]) => sought.every((word) => words.toLowerCase().includes(word)))
}
