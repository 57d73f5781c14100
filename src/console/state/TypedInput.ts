/** Text that people type or paste. */

/** Options that contain each of the typed words. */
export const optionsMatching = <A extends readonly [value: string, words: string]>(
  options: ReadonlyArray<A>,
  typed: string
): ReadonlyArray<A> => {
  const sought = typed.toLowerCase().split(/\s+/)
  return options.filter(([, words]) => sought.every((word) => words.toLowerCase().includes(word)))
}

/** Code of an invitation, from the code itself or from pasted text with the link. */
export const invitationCode = (text: string): string => /invitations?\/([^/\s?#]+)/.exec(text)?.[1] ?? text.trim()

/** Event types, separated by spaces, lines or commas. */
export const eventTypesIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((name) => name !== "")

export const eventsHint = "Exact types or patterns such as payment.*, one per line. * means all."
