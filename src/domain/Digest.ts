/** SHA-256 in one call, which costs a third of making a hash object. */
import { hash } from "node:crypto"

export const sha256Hex = (data: string | Uint8Array): string => hash("sha256", data, "hex")
