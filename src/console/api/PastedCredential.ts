/** An API key or a token as people paste it. */

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
