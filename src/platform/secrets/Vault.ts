/**
 * Encryption of stored secrets (webhook secrets, provider credentials, the development issuer's key), and keyed digests
 * that outsiders cannot compute.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import { Context, Data, Effect, Layer } from "effect"
import { type MasterKey, subkeyOf } from "../config/MasterKey.ts"
import { traced } from "../observability/Spans.ts"

/** The message never holds plaintext, and is fit for a log. */
export class VaultError extends Data.TaggedError("VaultError")<{
  readonly reason: "malformed" | "other-key" | "not-authentic"
  readonly message: string
}> {}

export interface VaultService {
  readonly keyId: string
  /** `context` says where the result belongs (table, column and row): it decrypts nowhere else. */
  readonly encrypt: (plaintext: string, context: string) => Effect.Effect<string>
  readonly decrypt: (encrypted: string, context: string) => Effect.Effect<string, VaultError>
  /** HMAC-SHA256 in hex. `purpose` is one of a few constants: digests of two purposes never coincide. */
  readonly hmac: (data: string | Uint8Array, purpose: string) => string
}

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ENCRYPTED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/

const hmacHex = (key: Uint8Array, data: string | Uint8Array): string =>
  createHmac("sha256", key).update(data).digest("hex")

const malformed = () => new VaultError({ reason: "malformed", message: "This is not an encrypted secret" })

const make = (masterKey: MasterKey): VaultService => {
  const keyId = masterKey.id
  const encryptionKey = subkeyOf(masterKey, "seal v1")
  const hmacKeys = new Map<string, Uint8Array>()

  const hmacKeyFor = (purpose: string): Uint8Array => {
    const key = hmacKeys.get(purpose) ?? subkeyOf(masterKey, `hmac v1 ${purpose}`)
    hmacKeys.set(purpose, key)
    return key
  }

  const encrypt = (plaintext: string, context: string): string => {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, encryptionKey, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(context))
    const encrypted = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()])
    return `v1.${keyId}.${nonce.toString("base64url")}.${encrypted.toString("base64url")}`
  }

  const decrypt = (nonce: Buffer, encrypted: Buffer, context: string): string => {
    const decipher = createDecipheriv(ALGORITHM, encryptionKey, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(encrypted.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8")
  }

  return {
    keyId,
    encrypt: (plaintext, context) => Effect.sync(() => encrypt(plaintext, context)),
    decrypt: Effect.fnUntraced(function* (text, context) {
      const [, textKeyId, nonceText, ciphertext] = ENCRYPTED.exec(text) ?? []
      if (textKeyId === undefined || nonceText === undefined || ciphertext === undefined) return yield* malformed()
      const encrypted = Buffer.from(ciphertext, "base64url")
      // The last character can hold bits that decode to nothing: only one spelling of a secret is accepted.
      if (encrypted.toString("base64url") !== ciphertext) return yield* malformed()
      if (textKeyId !== keyId) {
        return yield* new VaultError({
          reason: "other-key",
          message:
            `Encrypted under master key ${textKeyId}, but CORRIDOR_MASTER_KEY is master key ${keyId}: ` +
            "set CORRIDOR_MASTER_KEY to the key that was used before"
        })
      }
      return yield* Effect.try({
        try: () => decrypt(Buffer.from(nonceText, "base64url"), encrypted, context),
        catch: () =>
          new VaultError({
            reason: "not-authentic",
            message: `The secret kept for "${context}" was altered or belongs elsewhere (master key ${keyId})`
          })
      })
    }),
    hmac: (data, purpose) => hmacHex(hmacKeyFor(purpose), data)
  }
}

export class Vault extends Context.Tag("corridor/Vault")<Vault, VaultService>() {
  static readonly make = make
  static readonly layer = (masterKey: MasterKey): Layer.Layer<Vault> => Layer.sync(Vault, () => make(masterKey))
}

/**
 * Moves one secret to another master key. A secret that is there already comes back unchanged, once it decrypts. So an
 * interrupted rotation can run again.
 */
export const reencrypt = traced("Vault.reencrypt")(function* (
  from: VaultService,
  to: VaultService,
  encrypted: string,
  context: string
) {
  if (encrypted.startsWith(`v1.${to.keyId}.`)) return yield* Effect.as(to.decrypt(encrypted, context), encrypted)
  return yield* to.encrypt(yield* from.decrypt(encrypted, context), context)
})

/** Kept in the database: equal for equal master keys, and of no help in finding one. */
export const checkValue = (masterKey: MasterKey): string =>
  `v1.${masterKey.id}.${hmacHex(subkeyOf(masterKey, "check value v1"), "corridor")}`
