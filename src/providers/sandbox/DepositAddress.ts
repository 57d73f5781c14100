/** An address to send crypto to: well-formed for its network, always the same for a reference, and nobody's. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { base58 } from "@scure/base"
import { base58check, checksumCase, keyHashVersion, tronVersion } from "../../domain/WalletAddress.ts"

const versioned = (version: number, hash: Uint8Array): string =>
  base58check.encode(concatBytes(Uint8Array.of(version), hash))

export const depositAddress = (network: string, reference: string): string => {
  const digest = sha256(utf8ToBytes(`deposit ${network} ${reference}`))
  const hash = digest.subarray(0, 20)
  switch (network) {
    case "BITCOIN":
      return versioned(keyHashVersion, hash)
    case "TRON":
      return versioned(tronVersion, hash)
    case "SOLANA":
      return base58.encode(digest)
    default:
      return `0x${checksumCase(bytesToHex(hash))}`
  }
}
