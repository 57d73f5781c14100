/** What is left of a choice when somebody types: whatever has each of the words somewhere. */

export const optionsMatching = <A extends readonly [value: string, words: string]>(
  options: ReadonlyArray<A>,
  typed: string
): ReadonlyArray<A> => {
  const sought = typed.toLowerCase().split(/\s+/)
  return options.filter(([, words]) => sought.every((word) => words.toLowerCase().includes(word)))
}

/** People paste the invitation's code, or the whole line of the message that has it. */
export const invitationCode = (text: string): string => /invitations?\/([^/\s?#]+)/.exec(text)?.[1] ?? text.trim()

/** Events as people write them into a field: one to a line, or with commas between them. */
export const eventTypesIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((name) => name !== "")

export const eventsHint = "Exact types or patterns such as payment.*, one to a line. * is all of them."
