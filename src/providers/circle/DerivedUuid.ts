/** A UUID of version 4 in shape, made of what it stands for: the same words, the same UUID, for ever. */
import { hash } from "node:crypto"

export const derivedUuid = (...words: ReadonlyArray<string>): string => {
  const hex = hash("sha256", JSON.stringify(words), "hex")
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32)
  ].join("-")
}
