/**
 * The one key under which everything secret is kept (`CORRIDOR_MASTER_KEY`). It encrypts nothing itself: each use
 * gets a subkey of its own, and the id tells ciphertexts of different master keys apart.
 */
import { createHash, hkdfSync, scryptSync } from "node:crypto"
import { Either, Redacted } from "effect"

export interface MasterKey {
  readonly id: string
  readonly key: Redacted.Redacted<Uint8Array>
}

const KEY_BYTES = 32
const PASSPHRASE_MIN_CHARACTERS = 16
const HEX = /^[0-9a-fA-F]{64}$/
const BASE64 = /^(?:[A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/

/** 32 MiB and a tenth of a second for each guess; the salt is fixed because every instance must reach the same key. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const SCRYPT_SALT = "corridor master key v1"

const masterKey = (bytes: Uint8Array): MasterKey => ({
  id: createHash("sha256").update("corridor key id").update(bytes).digest("hex").slice(0, 8),
  key: Redacted.make(bytes)
})

const hkdf = (secret: string | Uint8Array, salt: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, salt, purpose, KEY_BYTES))

/**
 * Reads the setting, trimmed. 64 hexadecimal characters, or the base64 (or base64url) of exactly 32 bytes, are the key
 * itself. Other text of 16 characters or more is a passphrase. It is stretched with scrypt, since key id and check
 * value allow offline guesses with a stolen database.
 */
export const parseMasterKey = (text: string): Either.Either<MasterKey, string> => {
  const value = text.trim()
  if (HEX.test(value)) return Either.right(masterKey(Buffer.from(value, "hex")))
  if (BASE64.test(value)) return Either.right(masterKey(Buffer.from(value, "base64")))
  if (value.length < PASSPHRASE_MIN_CHARACTERS) {
    return Either.left(
      `must be 32 bytes in hex or base64, or a passphrase of at least ${PASSPHRASE_MIN_CHARACTERS} characters; ` +
        "make one with: openssl rand -hex 32"
    )
  }
  return Either.right(masterKey(scryptSync(value.normalize("NFC"), SCRYPT_SALT, KEY_BYTES, SCRYPT)))
}

/** The sandbox's default key: as public as its seed, so that `npm start` needs no setting. Never for live mode. */
export const deriveMasterKey = (seed: string): MasterKey => masterKey(hkdf(seed, "corridor sandbox", "master key"))

/** A key for one purpose; knowing it tells nothing about the master key or about the other subkeys. */
export const subkeyOf = ({ key }: MasterKey, purpose: string): Uint8Array =>
  hkdf(Redacted.value(key), "corridor subkey", purpose)
