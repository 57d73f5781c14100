/** Text that people type or paste. */

export type Kind = "api_key" | "token"

const shapes: ReadonlyArray<readonly [Kind, RegExp]> = [
  ["api_key", /^ck_(test|live)_/],
  ["token", /^[\w-]+\.[\w-]+\.[\w-]+$/]
]

/** A pasted key or token, also as a whole header. Its own shape counts; `chosen` is for text of neither shape. */
export const pastedCredential = (text: string, chosen: Kind): readonly [kind: Kind, secret: string] => {
  const secret = text.trim().replace(/^(?:(?:authorization|x-api-key)\s*:\s*)?(?:bearer\s+)?/i, "")
  return [shapes.find(([, shape]) => shape.test(secret))?.[0] ?? chosen, secret]
}

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
