/** An address to send crypto to: well-formed for its network, always the same for a reference, and nobody's. */
import { createHash } from "node:crypto"

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

const sha256 = (data: Uint8Array | string): Buffer => createHash("sha256").update(data).digest()

const base58 = (bytes: Buffer): string => {
  let digits = ""
  for (let rest = BigInt(`0x${bytes.toString("hex")}`); rest > 0n; rest /= 58n)
    digits = alphabet[Number(rest % 58n)]! + digits
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return alphabet[0]!.repeat(zeros === -1 ? bytes.length : zeros) + digits
}

const withChecksum = (version: number, hash: Buffer): string => {
  const versioned = Buffer.concat([Buffer.of(version), hash])
  return base58(Buffer.concat([versioned, sha256(sha256(versioned)).subarray(0, 4)]))
}

export const depositAddress = (network: string, reference: string): string => {
  const digest = sha256(`deposit ${network} ${reference}`)
  switch (network) {
    case "BITCOIN":
      return withChecksum(0x00, digest.subarray(0, 20))
    case "TRON":
      return withChecksum(0x41, digest.subarray(0, 20))
    case "SOLANA":
      return base58(digest)
    default:
      return `0x${digest.subarray(0, 20).toString("hex")}`
  }
}
