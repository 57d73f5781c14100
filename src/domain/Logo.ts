/** Logo of an organisation as a `data:` URL: the payer's browser loads nothing from elsewhere. */
import { Either } from "effect"

export const largestLogo = 65_536

/** Pictures are known by how they begin, whatever they are called. SVG is none of them: it can hold scripts and links. */
const kinds: ReadonlyArray<readonly [type: string, hexDigits: RegExp]> = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/webp", /^52494646.{8}57454250/]
]

export const logoType = (bytes: Uint8Array): string | undefined => {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString("hex")
  return kinds.find(([, hexDigits]) => hexDigits.test(beginning))?.[0]
}

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/

export const readLogo = (text: string): Either.Either<Uint8Array, string> => {
  const [, base64] = DATA_URL.exec(text) ?? []
  if (base64 === undefined) return Either.left("must be a data: URL of a PNG, JPEG or WebP picture, in base64")
  const bytes = new Uint8Array(Buffer.from(base64, "base64"))
  if (bytes.length > largestLogo) return Either.left(`is larger than ${largestLogo / 1024} KiB`)
  return logoType(bytes) === undefined ? Either.left("is not a PNG, JPEG or WebP picture") : Either.right(bytes)
}
