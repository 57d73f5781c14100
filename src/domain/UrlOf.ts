/**
 * Text as a URL, where it is one. Not by `URL.canParse`: Node 20 hands it text outside of ASCII in a wrong encoding once
 * it has been called some thousand times, and what was an address is none from then on.
 */
export const urlOf = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
