/** Names inside sentences of another direction: a name written right to left must not turn what follows it. */

/** Characters that are not seen, or turn round the order of those that are; they would hide a link from us. */
const unseen = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

export const visible = (text: string): string => text.replaceAll(unseen, "")

/** Letters of scripts from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A name that leaves the order of the text around it as it is, where no markup can isolate it, as in a title. */
export const isolatedName = (name: string): string => {
  const shown = visible(name)
  return rightToLeft.test(shown) ? `\u2068${shown}\u2069` : shown
}
