/** A word of a third party, such as a status or the code of a refusal, and what it means to us. */

/** Nothing where it is not in the table: words such as `constructor`, which every object knows, are not. */
export const meaningOf = <A>(table: Readonly<Record<string, A>>, word: string | null | undefined): A | undefined =>
  typeof word === "string" && Object.hasOwn(table, word) ? table[word] : undefined
